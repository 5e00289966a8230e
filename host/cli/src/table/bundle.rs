//! The table of a bundle of diagnostics: the status and the score, then the diagnostics, most severe first.

use adjudicate_core::{
    Error,
    json::{self, Limits, Node},
};
use anstyle::{AnsiColor, Style};

use super::{
    counted, diagnostic,
    page::{BOLD, DIM, Line, PLAIN, Page},
};
use crate::fields::{items, text};

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
    let status = text(bundle, "status");
    let badge = format!("{} ", status.replace('_', " ").to_uppercase());
    let number = |name| bundle.member(name).and_then(Node::as_number);
    let mut line = Line::at(0).text(&badge, status_style(status));
    for (name, label) in [("satisfactionScore", "score:"), ("observedSatisfaction", "observed:")] {
        if let Some(number) = number(name) {
            line = line.text(label, PLAIN).text(number, BOLD);
        }
    }
    page.push(line);
    let count = |bucket, what: &str| counted(items(bundle, bucket).count(), what);
    let line_text = [count("failures", "failure"), count("warnings", "warning"), count("infos", "note")];
    page.push(Line::at(0).text(&line_text.join(", "), DIM));
}

/// Adds the diagnostics, with a blank line between them.
pub(super) fn diagnostics<'t>(page: &mut Page, diagnostics: impl Iterator<Item = Node<'t>>) {
    for (at, diagnostic) in diagnostics.enumerate() {
        if at > 0 {
            page.gap();
        }
        for line in diagnostic::lines(diagnostic, false) {
            page.push(line.right_of("  ", "  "));
        }
    }
}

/// Returns the color of a status; an unknown one is only bold.
fn status_style(status: &str) -> Style {
    let color = match status {
        "accepted" => AnsiColor::Green,
        "accepted_with_findings" => AnsiColor::Yellow,
        "rejected" => AnsiColor::Red,
        _ => return BOLD,
    };
    BOLD.fg_color(Some(color.into()))
}
