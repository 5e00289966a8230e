//! The table of an answer of `verify_replay`: whether the run follows the plan, and the findings with their lines.

use adjudicate_core::{
    Error,
    json::{self, Kind, Limits, Node},
};
use anstyle::AnsiColor;

use super::{
    counted,
    page::{BOLD, DIM, Line, PLAIN, Page},
    value::shown,
};
use crate::fields::{is_set, items, text};

/// The column of labelled text.
const HANG: usize = 12;

/// Returns the table of an answer of `verify_replay`.
pub(crate) fn replay(answer: &str) -> Result<Page, Error> {
    let tape = json::read(answer.as_bytes(), Limits::ANSWER)?;
    let root = tape.root();
    let mut page = Page::default();
    let (badge, color) =
        if is_set(root, "linked") { ("LINKED", AnsiColor::Green) } else { ("NOT LINKED", AnsiColor::Red) };
    let found = counted(items(root, "findings").count(), "finding");
    page.push(Line::at(0).text(badge, BOLD.fg_color(Some(color.into()))).text(&found, DIM));
    hash(&mut page, root);
    if let Some(delta) = root.member("verification_delta").filter(|delta| delta.kind() == Kind::Integer) {
        let delta = shown(delta, "");
        let line_text = match delta.strip_prefix('-') {
            Some(more) => format!("{more} more failing than before"),
            None => format!("{delta} fewer failing than before"),
        };
        page.push(Line::at(0).label("tests", DIM, HANG).text(&line_text, PLAIN));
    }
    for finding in items(root, "findings") {
        page.gap();
        self::finding(&mut page, finding);
    }
    Ok(page)
}

fn hash(page: &mut Page, root: Node<'_>) {
    let line = Line::at(0).label("plan hash", DIM, HANG).text(text(root, "plan_hash"), PLAIN);
    page.push(match text(root, "hash_mode") {
        "" => line.text("(no hash of this plan is claimed)", DIM),
        mode => line.text(&format!("(mode {mode})"), DIM),
    });
}

fn finding(page: &mut Page, finding: Node<'_>) {
    let place = match finding.member("line").and_then(Node::as_number) {
        Some(line) => format!("line {line}"),
        None => String::new(),
    };
    let line = Line::at(2).label(&place, BOLD, HANG).text(text(finding, "code"), BOLD);
    page.push(line.text(text(finding, "path"), DIM));
    page.push(Line::at(HANG).text(text(finding, "message"), PLAIN));
}
