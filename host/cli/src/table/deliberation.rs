//! The table of an answer of `deliberate`: the gate, its reasons and warnings, open duties, the switch, the remaining
//! budgets, and the stop report.

use adjudicate_core::{
    Error,
    deliberate::{Gate, ReasonCode},
    json::{self, Kind, Limits, Node},
};
use anstyle::{AnsiColor, Style};

use super::{
    decision::first,
    page::{BOLD, DIM, Line, PLAIN, Page},
    value::shown,
};
use crate::fields::{is_set, items, text, value};

/// The column of labelled text.
const HANG: usize = 18;

/// Returns the table of an answer of `deliberate`.
pub(crate) fn deliberation(answer: &str) -> Result<Page, Error> {
    let tape = json::read(answer.as_bytes(), Limits::ANSWER)?;
    let root = tape.root();
    let mut page = Page::default();
    let line = Line::at(0).text(&text(root, "gate").to_uppercase(), gate_style(value(root, "gate")));
    page.push(match root.member("stop_report").map(|report| text(report, "stop_reason")) {
        Some(reason) => line.text(reason, BOLD),
        None => line,
    });
    reasons(&mut page, root);
    duties(&mut page, root);
    if let Some(switch) = root.member("switch") {
        self::members(&mut page, "Switch", switch);
    }
    if let Some(left) = root.member("budgets_left") {
        self::members(&mut page, "Budgets left", left);
    }
    if let Some(report) = root.member("stop_report") {
        self::report(&mut page, report);
    }
    if let Some(verdict) = root.member("question_verdict") {
        question(&mut page, verdict);
    }
    Ok(page)
}

/// Adds the reasons of the gate and the warnings, one per line.
fn reasons(page: &mut Page, root: Node<'_>) {
    let code = |reason| value::<ReasonCode>(reason, "code");
    let codes: Vec<ReasonCode> = items(root, "reasons").filter_map(code).collect();
    let gate = value::<Gate>(root, "gate");
    for reason in items(root, "reasons") {
        let is_warning = gate.zip(code(reason)).is_some_and(|(gate, code)| code.is_warning(gate, &codes));
        let line = if is_warning { Line::at(2).text("warning:", DIM) } else { Line::at(2) };
        page.push(line.text(text(reason, "message"), PLAIN).text(text(reason, "path"), DIM));
    }
}

/// Adds the fields of an object, one per line; a nested object is one line.
fn members(page: &mut Page, heading: &str, object: Node<'_>) {
    page.heading(heading);
    for (name, value) in object.members() {
        let line_text = match value.kind() {
            Kind::Object => {
                let parts = value.members().map(|(name, value)| format!("{name} {}", shown(value, ", ")));
                parts.collect::<Vec<_>>().join(", ")
            }
            Kind::Null => "none".to_owned(),
            _ => shown(value, ", "),
        };
        page.push(Line::at(2).label(name, DIM, HANG).text(&line_text, PLAIN));
    }
}

/// Adds triggers and duties, if there are any.
fn duties(page: &mut Page, root: Node<'_>) {
    listed(page, root, ("stagnation", "triggers"), BOLD);
    listed(page, root, ("open", "duties"), BOLD);
}

fn report(page: &mut Page, report: Node<'_>) {
    page.heading("Stop report");
    if let Some(confidence) = report.member("confidence") {
        page.push(Line::at(2).label("confidence", DIM, HANG).text(&shown(confidence, ""), PLAIN));
    }
    listed(page, report, ("evidence", "evidence_summary"), PLAIN);
    listed(page, report, ("uncertain", "uncertainties_remaining"), PLAIN);
    listed(page, report, ("next", "next_actions"), PLAIN);
    let consumed = report.member("budget_consumed");
    for (name, budget) in consumed.iter().flat_map(|consumed| consumed.members()) {
        page.push(Line::at(2).label(name, DIM, HANG).text(text(budget, "text"), PLAIN));
    }
    for (name, detail) in [("recommendation", "label"), ("question", "")] {
        if let Some(line_text) = report.member(name).filter(|line_text| line_text.kind() == Kind::Object) {
            let line = Line::at(2).label(name, DIM, HANG).text(text(line_text, "text"), PLAIN);
            page.push(line.text(&text(line_text, detail).replace('_', " "), DIM));
        }
    }
}

/// Adds the strings of a list, one per line, with a label before the first.
fn listed(page: &mut Page, node: Node<'_>, (label, key): (&str, &str), style: Style) {
    for (index, item) in items(node, key).enumerate() {
        let line = Line::at(2).label(first(index, label), DIM, HANG);
        page.push(line.text(item.as_str().unwrap_or_default(), style));
    }
}

fn question(page: &mut Page, verdict: Node<'_>) {
    page.heading("Question");
    for (quality, line_text) in verdict.members() {
        let is_met = is_set(line_text, "met");
        let (mark, color) = if is_met { ("yes", AnsiColor::Green) } else { ("no", AnsiColor::Red) };
        let line = Line::at(2).label(quality, DIM, HANG).text(mark, BOLD.fg_color(Some(color.into())));
        page.push(line.text(&text(line_text, "reason").replace('_', " "), DIM));
    }
}

/// Returns the color of a gate; an unknown one is only bold.
fn gate_style(gate: Option<Gate>) -> Style {
    let color = match gate {
        Some(Gate::Continue | Gate::Commit) => AnsiColor::Green,
        Some(Gate::Switch) => AnsiColor::Yellow,
        Some(Gate::Escalate) => AnsiColor::Cyan,
        Some(Gate::Stop) => AnsiColor::Red,
        None => return BOLD,
    };
    BOLD.fg_color(Some(color.into()))
}
