//! The reasons, one block for each finding.

use adjudicate_core::json::{Kind, Node};

use super::{
    page::{BOLD, DIM, Line, PLAIN, Page},
    style::{severity_style, status_style},
    value::shown,
};
use crate::fields::text;

/// The column of a finding's text, and of the text after its labels.
const INDENT: usize = 10;
const HANG: usize = 21;

pub(super) fn findings<'t>(page: &mut Page, findings: impl Iterator<Item = Node<'t>>) {
    page.heading("Why");
    let mut is_empty = true;
    for finding in findings {
        if !is_empty {
            page.gap();
        }
        is_empty = false;
        block(page, finding);
    }
    if is_empty {
        page.push(Line::at(2).text("no findings", PLAIN));
    }
}

fn block(page: &mut Page, finding: Node<'_>) {
    let severity = text(finding, "severity");
    let line =
        Line::at(2).label(severity, severity_style(severity), INDENT).text(text(finding, "rule"), BOLD);
    let status = text(finding, "status");
    let line = match text(finding, "mode") {
        "monitor" => line.text("would call for", DIM).text(status, DIM),
        _ => line.text("calls for", DIM).text(status, status_style(status)),
    };
    page.push(match text(finding, "origin") {
        "" => line,
        origin => line.text("says", DIM).text(origin, PLAIN),
    });
    page.push(Line::at(INDENT).text(text(finding, "summary"), PLAIN));
    let mut row = |label: &str, line_text: &str| {
        if !line_text.is_empty() {
            page.push(Line::at(INDENT).label(label, DIM, HANG).text(line_text, PLAIN));
        }
    };
    row("evidence", text(finding, "evidence_ref"));
    for name in ["expected", "actual"] {
        let value = finding.member(name).filter(|value| value.kind() != Kind::Null);
        row(name, &value.map(|value| shown(value, ", ")).unwrap_or_default());
    }
    if let Some(resolution) = finding.member("resolution") {
        row(resolution_label(text(resolution, "kind")), text(resolution, "hint"));
    }
}

/// Returns the remedy for a finding, in at most two words.
fn resolution_label(kind: &str) -> &str {
    match kind {
        "after_fix" => "to fix",
        "needs_approval" => "to approve",
        "retry" => "to retry",
        "provide_evidence" => "to provide",
        "terminal" => "final",
        other => other,
    }
}
