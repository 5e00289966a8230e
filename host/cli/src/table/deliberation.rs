//! A `deliberate` answer as a page: the gate first, then its reasons and warnings, open duties, the switch, the budgets that are
//! left, and the stop report.

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
use crate::fields::{is_set, items, text};

/// Where labelled text begins.
const HANG: usize = 18;

/// The page of a `deliberate` answer.
pub(crate) fn deliberation(answer: &str) -> Result<Page, Error> {
    let tape = json::read(answer.as_bytes(), Limits::ANSWER)?;
    let root = tape.root();
    let mut page = Page::default();
    let gate = text(root, "gate");
    let line = Line::at(0).text(&gate.to_uppercase(), gate_style(gate));
    page.push(match root.member("stop_report").map(|report| text(report, "stop_reason")) {
        Some(reason) => line.text(reason, BOLD),
        None => line,
    });
    reasons(&mut page, root);
    owed(&mut page, root);
    if let Some(switch) = root.member("switch") {
        self::members(&mut page, "Switch", switch);
    }
    if let Some(left) = root.member("budgets_left") {
        self::members(&mut page, "What is left", left);
    }
    if let Some(report) = root.member("stop_report") {
        self::report(&mut page, report);
    }
    if let Some(verdict) = root.member("question_verdict") {
        question(&mut page, verdict);
    }
    Ok(page)
}

/// The reasons of the gate, one a line, and the warnings beside them.
fn reasons(page: &mut Page, root: Node<'_>) {
    let code = |reason| ReasonCode::from_text(text(reason, "code"));
    let codes: Vec<ReasonCode> = items(root, "reasons").filter_map(code).collect();
    let gate = Gate::from_text(text(root, "gate"));
    for reason in items(root, "reasons") {
        let is_warning = gate.zip(code(reason)).is_some_and(|(gate, code)| code.is_warning(gate, &codes));
        let line = if is_warning { Line::at(2).text("warning:", DIM) } else { Line::at(2) };
        page.push(line.text(text(reason, "message"), PLAIN).text(text(reason, "path"), DIM));
    }
}

/// The members of an object, one a line; an object in it by its members.
fn members(page: &mut Page, heading: &str, object: Node<'_>) {
    page.heading(heading);
    for (name, value) in object.members() {
        let told = match value.kind() {
            Kind::Object => {
                let parts = value.members().map(|(name, value)| format!("{name} {}", shown(value, ", ")));
                parts.collect::<Vec<_>>().join(", ")
            }
            Kind::Null => "none".to_owned(),
            _ => shown(value, ", "),
        };
        page.push(Line::at(2).label(name, DIM, HANG).text(&told, PLAIN));
    }
}

/// Triggers and duties, if there are any.
fn owed(page: &mut Page, root: Node<'_>) {
    listed(page, root, ("stagnation", "triggers"), BOLD);
    listed(page, root, ("owed", "duties"), BOLD);
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
        if let Some(told) = report.member(name).filter(|told| told.kind() == Kind::Object) {
            let line = Line::at(2).label(name, DIM, HANG).text(text(told, "text"), PLAIN);
            page.push(line.text(&text(told, detail).replace('_', " "), DIM));
        }
    }
}

/// The texts of a list, one a line, with a label before the first.
fn listed(page: &mut Page, node: Node<'_>, (label, key): (&str, &str), style: Style) {
    for (index, item) in items(node, key).enumerate() {
        let line = Line::at(2).label(first(index, label), DIM, HANG);
        page.push(line.text(item.as_str().unwrap_or_default(), style));
    }
}

fn question(page: &mut Page, verdict: Node<'_>) {
    page.heading("The question");
    for (quality, told) in verdict.members() {
        let is_met = is_set(told, "met");
        let (mark, color) = if is_met { ("yes", AnsiColor::Green) } else { ("no", AnsiColor::Red) };
        let line = Line::at(2).label(quality, DIM, HANG).text(mark, BOLD.fg_color(Some(color.into())));
        page.push(line.text(&text(told, "reason").replace('_', " "), DIM));
    }
}

/// A gate in its colour; what is none is only bold.
fn gate_style(gate: &str) -> Style {
    let color = match Gate::from_text(gate) {
        Some(Gate::Continue | Gate::Commit) => AnsiColor::Green,
        Some(Gate::Switch) => AnsiColor::Yellow,
        Some(Gate::Escalate) => AnsiColor::Cyan,
        Some(Gate::Stop) => AnsiColor::Red,
        None => return BOLD,
    };
    BOLD.fg_color(Some(color.into()))
}
