//! The table of a bundle of diagnostics: the status and the score, then the diagnostics, most severe first.

use adjudicate_core::{
    Error,
    json::{self, Limits, Node},
    plan::PlanCode,
};

use super::{
    counted,
    page::{Line, Page},
    style::{BOLD, DIM, PLAIN, word},
    value::shown,
};
use crate::fields::{items, text};

/// The columns of a diagnostic's labels, and of the text after them.
const ROW: (usize, usize) = (6, 18);

/// Returns the table of an answer of `merge_diagnostics` or `observe_output`.
pub(crate) fn bundle(answer: &str) -> Result<Page, Error> {
    let tape = json::read(answer.as_bytes(), Limits::ANSWER)?;
    let root = tape.root();
    let mut page = Page::default();
    head(&mut page, root);
    let buckets = [("failures", "Failures"), ("warnings", "Warnings"), ("infos", "Notes")];
    for (bucket, heading) in buckets {
        if items(root, bucket).next().is_some() {
            page.heading(heading);
            diagnostics(&mut page, items(root, bucket));
        }
    }
    Ok(page)
}

/// Adds the status, the scores, and the numbers of diagnostics.
pub(super) fn head(page: &mut Page, bundle: Node<'_>) {
    let mut line = Line::badge(text(bundle, "status"));
    for (name, label) in [("satisfactionScore", "score:"), ("observedSatisfaction", "observed:")] {
        if let Some(number) = bundle.member(name).and_then(Node::as_number) {
            line = line.text(label, PLAIN).text(number, BOLD);
        }
    }
    page.push(line);
    let counts = [("failures", "failure"), ("warnings", "warning"), ("infos", "note")]
        .map(|(bucket, noun)| counted(items(bundle, bucket).count(), noun));
    page.line(0, &[(&counts.join(", "), DIM)]);
}

/// Adds the diagnostics, with a blank line between them.
pub(super) fn diagnostics<'t>(page: &mut Page, diagnostics: impl Iterator<Item = Node<'t>>) {
    for (at, diagnostic) in diagnostics.enumerate() {
        if at > 0 {
            page.gap();
        }
        for line in lines(diagnostic, false) {
            page.push(line.right_of("  ", "  "));
        }
    }
}

/// Returns the lines of a diagnostic. At a node of the plan, its node and capability are left out.
pub(super) fn lines(diagnostic: Node<'_>, is_at_node: bool) -> Vec<Line> {
    let severity = text(diagnostic, "severity");
    let label = if severity == "informational" { "info" } else { severity };
    let details = diagnostic.member("details");
    let code = details.map_or("", |details| text(details, "code"));
    let cause = text(diagnostic, "cause");
    let line = Line::at(0).label(label, word(severity), ROW.0);
    let line = line.text(if code.is_empty() { cause } else { code }, BOLD);
    let is_known = code.is_empty() || code == cause;
    let line = if is_known { line } else { line.text(&format!("({cause})"), DIM) };
    let mut lines = vec![match text(diagnostic, "status") {
        "satisfied" => line.text("is met", PLAIN),
        "unknown" => line.text("is unknown", PLAIN),
        _ => line,
    }];
    if let Some(known) = PlanCode::ALL.iter().find(|known| known.as_str() == code) {
        lines.push(Line::at(ROW.0).text(known.meaning(), PLAIN));
    }
    let mut row = |label: &str, line_text: &str| {
        if !line_text.is_empty() {
            lines.push(Line::at(ROW.0).label(label, DIM, ROW.1).text(line_text, PLAIN));
        }
    };
    row("constraint", text(diagnostic, "constraint"));
    row("named", text(diagnostic, "constraintId"));
    if !is_at_node {
        row("node", text(diagnostic, "nodeId"));
        row("capability", text(diagnostic, "capabilityId"));
    }
    for (name, value) in details.into_iter().flat_map(Node::members) {
        let is_given = name == "code" || is_at_node && name == "node";
        let between = if name == "path" { " -> " } else { ", " };
        row(name, if is_given { String::new() } else { shown(value, between) }.as_str());
    }
    // Each line is one suggestion.
    for line in text(diagnostic, "suggestion").lines() {
        lines.push(Line::at(ROW.0).label("help", BOLD, ROW.1).text(line, PLAIN));
    }
    lines
}
