//! The lines of a diagnostic: its severity, its code, its subject, and its suggestions.

use adjudicate_core::{json::Node, plan::PlanCode};
use anstyle::{AnsiColor, Style};

use super::{
    page::{BOLD, DIM, Line, PLAIN},
    value::shown,
};
use crate::fields::text;

/// The column of a diagnostic's text, and of the text after its labels.
const INDENT: usize = 6;
const HANG: usize = 18;

/// Returns the lines of a diagnostic. At a node of the plan, its node and capability are left out.
pub(super) fn lines(diagnostic: Node<'_>, is_at_node: bool) -> Vec<Line> {
    let severity = text(diagnostic, "severity");
    let label = if severity == "informational" { "info" } else { severity };
    let details = diagnostic.member("details");
    let code = details.map_or("", |details| text(details, "code"));
    let cause = text(diagnostic, "cause");
    let line = Line::at(0).label(label, severity_style(severity), INDENT);
    let line = line.text(if code.is_empty() { cause } else { code }, BOLD);
    let is_known = code.is_empty() || code == cause;
    let line = if is_known { line } else { line.text(&format!("({cause})"), DIM) };
    let mut lines = vec![match text(diagnostic, "status") {
        "satisfied" => line.text("is met", PLAIN),
        "unknown" => line.text("is unknown", PLAIN),
        _ => line,
    }];
    if let Some(known) = PlanCode::ALL.iter().find(|known| known.as_str() == code) {
        lines.push(Line::at(INDENT).text(known.meaning(), PLAIN));
    }
    let mut row = |label: &str, line_text: &str| {
        if !line_text.is_empty() {
            lines.push(Line::at(INDENT).label(label, DIM, HANG).text(line_text, PLAIN));
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
        lines.push(Line::at(INDENT).label("help", BOLD, HANG).text(line, PLAIN));
    }
    lines
}

pub(super) fn severity_style(severity: &str) -> Style {
    let color = match severity {
        "hard" => AnsiColor::Red,
        "soft" => AnsiColor::Yellow,
        _ => AnsiColor::Blue,
    };
    BOLD.fg_color(Some(color.into()))
}
