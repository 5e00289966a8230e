//! What pictures say: short lines, in which nothing is hidden.

use adjudicate_core::{json::Node, plan::Level};
use adjudicate_sandbox::visible;

use super::{Drawing, Sort, Vertex};
use crate::fields::text;

/// How many characters of a line are shown.
const LONGEST: usize = 60;

/// The colours of each level: what is drawn and what is filled. Black on the latter is legible.
pub(super) const PALETTE: [(Level, &str, &str); 3] = [
    (Level::Hard, "#b3261e", "#fce4e2"),
    (Level::Soft, "#a36200", "#fff0d1"),
    (Level::Informational, "#1f5fa8", "#e3eefb"),
];

/// The level of the gravest of what was found.
pub(super) fn gravest(diagnostics: &[Node<'_>]) -> Option<Level> {
    let level =
        |diagnostic: &Node<'_>| Level::from_text(text(*diagnostic, "severity")).unwrap_or(Level::Hard);
    diagnostics.iter().map(level).min()
}

/// The lines of a node.
pub(super) fn lines(vertex: &Vertex<'_>) -> Vec<String> {
    let mut lines = vec![shown(vertex.id)];
    lines.extend(Some(shown(vertex.capability)).filter(|line| !line.is_empty()));
    match vertex.sort {
        Sort::Plain => {}
        Sort::Repeated => lines.push("the id of a node before it".to_owned()),
        Sort::Missing => lines.push("there is no such node".to_owned()),
    }
    lines.extend(vertex.diagnostics.iter().map(|diagnostic| found(*diagnostic)));
    lines
}

/// The lines of what is about the plan: what becomes of it, and what was found about no node.
pub(super) fn about(drawing: &Drawing<'_>) -> Vec<String> {
    let found = drawing.about_plan.iter().map(|diagnostic| found(*diagnostic));
    std::iter::once(shown(&drawing.outcome())).chain(found).collect()
}

/// One diagnostic: how grave it is, what it is, and what it is about.
fn found(diagnostic: Node<'_>) -> String {
    let details = diagnostic.member("details");
    let detail = |name| details.map_or("", |details| text(details, name));
    let (code, constraint) = (detail("code"), text(diagnostic, "constraint"));
    let what = if code.is_empty() { text(diagnostic, "cause") } else { code };
    let mut line = format!("{}: {what}", text(diagnostic, "severity"));
    let about = [constraint, detail("property"), detail("facet")];
    if let Some(about) = about.iter().find(|about| !about.is_empty()) {
        line.extend([", ", about]);
    }
    shown(&line)
}

/// The text with nothing hidden in it, cut where it is long.
fn shown(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => visible(text.get(..end).unwrap_or_default()) + "...",
        None => visible(text),
    }
}
