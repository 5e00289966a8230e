//! The table of an answer of `apply_guardrails`: the actions in their order, with their reasons.

use adjudicate_core::{
    Error,
    json::{self, Limits, Node},
};
use anstyle::{AnsiColor, Style};

use super::{
    page::{BOLD, DIM, Line, PLAIN, Page},
    value::shown,
};
use crate::fields::{is_set, items, text};

/// The column of an action's text, and of the text after its labels.
const INDENT: usize = 5;
const HANG: usize = 20;

/// Returns the table of an answer of `apply_guardrails`.
pub(crate) fn guardrails(answer: &str) -> Result<Page, Error> {
    let tape = json::read(answer.as_bytes(), Limits::ANSWER)?;
    let root = tape.root();
    let mut page = Page::default();
    let actions: Vec<_> = items(root, "actions").collect();
    let payloads: Vec<_> = items(root, "payloads").collect();
    let stop = actions.iter().find(|action| is_terminal(**action));
    page.push(match (actions.as_slice(), stop) {
        ([], _) => Line::at(0).text("NO ACTION", BOLD.fg_color(Some(AnsiColor::Green.into()))),
        (_, None) => Line::at(0).text("CONTINUES", BOLD.fg_color(Some(AnsiColor::Yellow.into()))),
        (_, Some(stop)) => Line::at(0)
            .text("STOPS", BOLD.fg_color(Some(AnsiColor::Red.into())))
            .text("by policy", PLAIN)
            .text(text(*stop, "policyId"), BOLD),
    });
    for (at, entry) in actions.iter().enumerate() {
        page.gap();
        action(&mut page, at + 1, *entry);
        if let Some(trigger) = payloads.get(at).and_then(|payload| payload.member("trigger")) {
            members(&mut page, "on", text(trigger, "kind"), trigger, "kind");
        }
    }
    Ok(page)
}

fn action(page: &mut Page, number: usize, entry: Node<'_>) {
    let line = Line::at(0).label(&format!("{number}."), BOLD, INDENT);
    let kind = entry.member("action").map_or("", |action| text(action, "type"));
    let line = line.text(kind, kind_style(entry)).text("by policy", DIM).text(text(entry, "policyId"), PLAIN);
    page.push(if is_terminal(entry) { line.text("(stops the run)", DIM) } else { line });
    if !text(entry, "reason").is_empty() {
        page.push(Line::at(INDENT).label("because", DIM, HANG).text(text(entry, "reason"), PLAIN));
    }
    if let Some(action) = entry.member("action") {
        members(page, "", "", action, "type");
    }
}

/// Adds the fields of an action or a trigger, except the field with its kind. A label can stand before the kind.
fn members(page: &mut Page, label: &str, kind: &str, node: Node<'_>, besides: &str) {
    if !label.is_empty() {
        page.push(Line::at(INDENT).label(label, DIM, HANG).text(kind, PLAIN));
    }
    for (name, value) in node.members().filter(|(name, _)| *name != besides) {
        page.push(Line::at(INDENT).label(name, DIM, HANG).text(&shown(value, ", "), PLAIN));
    }
}

fn kind_style(entry: Node<'_>) -> Style {
    let color = if is_terminal(entry) { AnsiColor::Red } else { AnsiColor::Yellow };
    BOLD.fg_color(Some(color.into()))
}

fn is_terminal(entry: Node<'_>) -> bool {
    is_set(entry, "terminal")
}
