//! The table of an answer of `refine`: the package or the reason for none, the events, and the changes to the next
//! envelope.

use adjudicate_core::{
    Error,
    json::{self, Kind, Limits, Node},
};

use super::{
    counted,
    decision::first,
    page::{BOLD, DIM, Line, PLAIN, Page},
    style::{severity_style, status_style},
};
use crate::fields::{items, text};

/// The column of labelled text.
const HANG: usize = 12;

/// Returns the table of an answer of `refine`.
pub(crate) fn revision(answer: &str) -> Result<Page, Error> {
    let tape = json::read(answer.as_bytes(), Limits::ANSWER)?;
    let root = tape.root();
    let mut page = Page::default();
    match root.member("package").filter(|package| package.kind() == Kind::Object) {
        Some(package) => self::package(&mut page, package),
        None => page.push(
            Line::at(0).text("NO REFINEMENT", BOLD).text("because:", PLAIN).text(text(root, "reason"), BOLD),
        ),
    }
    events(&mut page, root);
    if let Some(patch) = root.member("status_patch") {
        status(&mut page, patch);
    }
    if let Some(next) = root.member("next") {
        self::next(&mut page, next);
    }
    Ok(page)
}

fn package(page: &mut Page, package: Node<'_>) {
    page.push(Line::at(0).label("REFINE", BOLD, 8).text(text(package, "objective"), PLAIN));
    for issue in items(package, "issues") {
        page.gap();
        let severity = text(issue, "severity");
        let line = Line::at(2).label(severity, severity_style(severity), 10).text(text(issue, "id"), BOLD);
        page.push(line.text(text(issue, "evidence_ref"), DIM));
        page.push(Line::at(10).text(text(issue, "summary"), PLAIN));
        if let Some(edit) = issue.member("edit") {
            let line = Line::at(10).label("change", DIM, 21).text(text(edit, "target"), BOLD);
            page.push(line.text(text(edit, "action"), PLAIN));
        }
    }
    page.gap();
    let listed = [("keep to", "constraints"), ("artifacts", "artifact_refs")];
    for (label, member) in listed {
        for (index, item) in items(package, member).enumerate() {
            let line = Line::at(2).label(first(index, label), DIM, HANG);
            page.push(line.text(item.as_str().unwrap_or_default(), PLAIN));
        }
    }
    for (index, check) in items(package, "verification").enumerate() {
        let line = Line::at(2).label(first(index, "verify"), DIM, HANG).text(text(check, "command"), BOLD);
        page.push(line.text("gives", DIM).text(text(check, "expected_signal"), PLAIN));
    }
}

fn events(page: &mut Page, root: Node<'_>) {
    page.heading("What happened");
    for event in items(root, "events") {
        let line = Line::at(2).text(text(event, "event"), BOLD);
        let members = event.members().filter(|(name, _)| *name != "event");
        page.push(members.fold(line, |line, (name, value)| line.text(name, DIM).text(&shown(value), PLAIN)));
    }
}

fn status(page: &mut Page, patch: Node<'_>) {
    page.heading("The run's status");
    for (name, value) in patch.members() {
        let line_text = shown(value);
        let style = if name == "last_decision_status" { status_style(&line_text) } else { PLAIN };
        page.push(Line::at(2).label(name, DIM, 26).text(&line_text, style));
    }
}

fn next(page: &mut Page, next: Node<'_>) {
    page.heading("The next envelope carries");
    if let Some(refinement) = next.member("refinement") {
        let number = |name| refinement.member(name).map(shown).unwrap_or_default();
        let line_text = format!("{} of {} spent", number("spent"), counted(number("cap"), "refinement"));
        page.push(Line::at(2).label("refinement", DIM, 16).text(&line_text, PLAIN));
    }
    let Some(entry) = next.member("history_entry") else { return };
    let line = Line::at(2).label("history", DIM, 16).text(text(entry, "step_id"), BOLD);
    let status = text(entry, "status");
    page.push(line.text("came to", DIM).text(status, status_style(status)));
    for blocker in items(entry, "blockers") {
        let line = Line::at(16).text("blocker", DIM).text(text(blocker, "code"), PLAIN);
        page.push(line.text(text(blocker, "item"), DIM));
    }
    let failures = entry.member("failures").map(shown).unwrap_or_default();
    page.push(Line::at(16).text(&failures, PLAIN).text("failing checks", DIM));
}

fn shown(value: Node<'_>) -> String {
    match value.kind() {
        Kind::Null => "none".to_owned(),
        Kind::Bool(true) => "yes".to_owned(),
        Kind::Bool(false) => "no".to_owned(),
        Kind::String => value.as_str().unwrap_or_default().to_owned(),
        _ => value.as_number().unwrap_or_default().to_owned(),
    }
}
