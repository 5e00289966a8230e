//! The table of an answer of `check_policy`: the problems of a policy, and their paths.

use adjudicate_core::{
    Error,
    json::{self, Kind, Limits, Node},
};
use anstyle::{AnsiColor, Style};

use super::{
    page::{BOLD, DIM, Line, PLAIN, Page},
    style::status_style,
};
use crate::fields::{items, text};

/// The column of a finding's text, and of the text after its labels.
const INDENT: usize = 10;
const HANG: usize = 20;

/// Returns the table of an answer of `check_policy`.
pub(crate) fn static_findings(answer: &str) -> Result<Page, Error> {
    let tape = json::read(answer.as_bytes(), Limits::ANSWER)?;
    let root = tape.root();
    let mut page = Page::default();
    if root.member("findings").is_none_or(Node::is_empty) {
        page.push(Line::at(0).text("nothing found", BOLD));
    }
    for (index, finding) in items(root, "findings").enumerate() {
        if index > 0 {
            page.gap();
        }
        let severity = text(finding, "severity");
        let line = Line::at(0).label(severity, severity_style(severity), INDENT);
        page.push(line.text(text(finding, "code"), BOLD).text("at", DIM).text(text(finding, "path"), PLAIN));
        page.push(Line::at(INDENT).text(text(finding, "message"), PLAIN));
        if !text(finding, "hint").is_empty() {
            page.push(Line::at(INDENT).label("help", DIM, HANG).text(text(finding, "hint"), PLAIN));
        }
        if let Some(witness) = finding.member("witness").filter(|witness| witness.kind() == Kind::Object) {
            let line = Line::at(INDENT).label("witness", DIM, HANG).text("comes to", DIM);
            let rules: Vec<_> = items(witness, "rules").filter_map(Node::as_str).collect();
            let line = match text(witness, "status") {
                "" => line.text("no answer", PLAIN),
                status => line.text(status, status_style(status)),
            };
            page.push(if rules.is_empty() {
                line
            } else {
                line.text("by", DIM).text(&rules.join(", "), PLAIN)
            });
        }
    }
    Ok(page)
}

fn severity_style(severity: &str) -> Style {
    match severity {
        "error" => AnsiColor::Red.on_default().bold(),
        _ => AnsiColor::Yellow.on_default().bold(),
    }
}
