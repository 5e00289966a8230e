//! The table of an answer of `explain`: the reasons with actual and expected values, the overruled findings, and the
//! counterfactual.

use adjudicate_core::{
    Error,
    json::{self, Kind, Limits, Node},
};

use super::{
    decision::head,
    page::{BOLD, DIM, Line, PLAIN, Page},
    style::{severity_style, status_style},
};
use crate::fields::{items, text};

/// The column of a reason's text, and of the text after its labels.
const INDENT: usize = 10;
const HANG: usize = 21;
/// The number of characters of a value that are shown.
const LONGEST: usize = 100;

/// Returns the table of an answer of `explain`.
pub(crate) fn explanation(answer: &str) -> Result<Page, Error> {
    let tape = json::read(answer.as_bytes(), Limits::ANSWER)?;
    let root = tape.root();
    let mut page = Page::default();
    let findings = root.member("evaluation").map(|evaluation| {
        if let Some(decision) = evaluation.member("decision") {
            head(&mut page, evaluation, decision);
        }
        items(evaluation, "findings").collect::<Vec<_>>()
    });
    reasons(&mut page, root, &findings.unwrap_or_default());
    overruled(&mut page, root);
    counterfactual(&mut page, root);
    if let Some(trace) = root.member("trace") {
        self::trace(&mut page, trace);
    }
    Ok(page)
}

fn reasons(page: &mut Page, root: Node<'_>, findings: &[Node<'_>]) {
    page.heading("Why");
    for (index, reason) in items(root, "reasons").enumerate() {
        if index > 0 {
            page.gap();
        }
        let status = text(reason, "status");
        let finding = findings.get(index).copied();
        let severity = finding.map_or("", |finding| text(finding, "severity"));
        let line = Line::at(2).label(severity, severity_style(severity), INDENT);
        let line = line.text(text(reason, "rule"), BOLD).text("calls for", DIM);
        let line = line.text(status, status_style(status));
        page.push(match (text(reason, "mode"), text(reason, "overruled_by")) {
            ("monitor", _) => line.text("and is only monitored", DIM),
            (_, "") => line,
            (_, winner) => line.text("and is overruled by", DIM).text(winner, PLAIN),
        });
        if let Some(finding) = finding {
            page.push(Line::at(INDENT).text(text(finding, "summary"), PLAIN));
        }
        let mut row = |label: &str, line_text: &str| {
            if !line_text.is_empty() {
                page.push(Line::at(INDENT).label(label, DIM, HANG).text(line_text, PLAIN));
            }
        };
        row("evidence", text(reason, "evidence_ref"));
        row("expected", &shown(reason.member("expected")));
        row("actual", &shown(reason.member("actual")));
        items(reason, "conditions").for_each(|part| condition(page, part));
    }
    if root.member("reasons").is_none_or(Node::is_empty) {
        page.push(Line::at(2).text("no findings", PLAIN));
    }
}

/// Adds a part of a rule's condition with the values of its variables.
fn condition(page: &mut Page, part: Node<'_>) {
    let holds = match part.member("holds").map(Node::kind) {
        Some(Kind::Bool(true)) => "holds",
        Some(Kind::Bool(false)) => "does not hold",
        _ => "is unknown",
    };
    let line =
        Line::at(INDENT).label("condition", DIM, HANG).text(text(part, "path"), PLAIN).text(holds, BOLD);
    page.push(items(part, "variables").fold(line, |line, variable| {
        line.text(text(variable, "variable"), DIM).text("is", DIM).text(&input(variable), PLAIN)
    }));
}

fn overruled(page: &mut Page, root: Node<'_>) {
    if root.member("overruled").is_none_or(Node::is_empty) {
        return;
    }
    page.heading("Overruled findings");
    for loser in items(root, "overruled") {
        let (status, winner) = (text(loser, "status"), text(loser, "by_status"));
        let line = Line::at(2).text(text(loser, "by"), BOLD).text(winner, status_style(winner));
        let line = line.text("over", DIM).text(text(loser, "rule"), BOLD).text(status, status_style(status));
        page.push(line.text("for", DIM).text(text(loser, "why"), PLAIN));
    }
}

fn counterfactual(page: &mut Page, root: Node<'_>) {
    page.heading("Changes that lead to success");
    if let Some(none) = root.member("no_counterfactual").filter(|none| none.kind() == Kind::Object) {
        let rules: Vec<_> = items(none, "rules").filter_map(Node::as_str).collect();
        let line = Line::at(2).text(text(none, "message"), PLAIN);
        page.push(match rules.as_slice() {
            [] => line,
            rules => line.text("(", DIM).text(&rules.join(", "), DIM).text(")", DIM),
        });
    }
    let Some(found) = root.member("counterfactual").filter(|found| found.kind() == Kind::Object) else {
        return;
    };
    for (number, change) in (1..).zip(items(found, "changes")) {
        let line = Line::at(2).label(&format!("{number}."), BOLD, 5).text(text(change, "op"), BOLD);
        let line = line.text(text(change, "path"), PLAIN);
        let (was, value) = (change.member("was"), change.member("value"));
        page.push(match (was.is_some(), value.is_some()) {
            (true, true) => line.text(&shown(was), DIM).text("->", DIM).text(&shown(value), BOLD),
            (true, false) => line.text("which is", DIM).text(&shown(was), DIM),
            _ => line.text("with", DIM).text(&shown(value), BOLD),
        });
    }
    let line = Line::at(5).text("then", DIM).text(text(found, "status"), status_style(text(found, "status")));
    page.push(match text(found, "next_step") {
        "" => line,
        step => line.text("next step:", PLAIN).text(step, BOLD),
    });
}

fn trace(page: &mut Page, trace: Node<'_>) {
    page.heading("Every rule");
    let inputs: Vec<_> = items(trace, "inputs").collect();
    for rule in items(trace, "rules") {
        let verdict = text(rule, "verdict");
        let style = if verdict == "fired" { BOLD } else { DIM };
        page.push(Line::at(2).label(verdict, style, INDENT).text(text(rule, "rule"), style));
        for place in items(rule, "inputs").filter_map(|place| place.as_number()?.parse::<usize>().ok()) {
            let Some(looked_at) = inputs.get(place).copied() else { continue };
            let line = Line::at(INDENT).text(text(looked_at, "variable"), DIM);
            page.push(line.text("is", DIM).text(&input(looked_at), DIM));
        }
    }
}

/// Returns the value of a variable, or its state if there is no value to show.
pub(crate) fn input(node: Node<'_>) -> String {
    match text(node, "state") {
        "known" => shown(node.member("value")),
        "omitted" => "too large to show".to_owned(),
        _ => "unknown".to_owned(),
    }
}

/// Returns a value as JSON, cut after [`LONGEST`] characters.
fn shown(value: Option<Node<'_>>) -> String {
    let Some(value) = value else { return String::new() };
    let text = json::canonical(value);
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
