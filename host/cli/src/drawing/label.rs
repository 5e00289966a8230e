//! The labels of drawings: short lines with escaped characters.

use adjudicate_core::{document, json::Node, plan::Level};
use adjudicate_sandbox::visible;

use super::{Drawing, NodeKind, Vertex};
use crate::{cut::cut, fields::text};

/// The number of characters of a line that are shown.
const LONGEST: usize = 60;

/// The colors of each level: the line and the fill. Black text is legible on each fill.
pub(super) const PALETTE: [(Level, &str, &str); 3] = [
    (Level::Hard, "#b3261e", "#fce4e2"),
    (Level::Soft, "#a36200", "#fff0d1"),
    (Level::Informational, "#1f5fa8", "#e3eefb"),
];

/// Returns the most severe level of the diagnostics.
pub(super) fn most_severe(diagnostics: &[Node<'_>]) -> Option<Level> {
    let severity = |diagnostic: &Node<'_>| diagnostic.member("severity").map(document::read);
    let level = |diagnostic| severity(diagnostic).and_then(Result::ok).unwrap_or(Level::Hard);
    diagnostics.iter().map(level).min()
}

/// Returns the lines of a vertex: its id, its capability, and its diagnostics.
pub(super) fn lines(vertex: &Vertex<'_>) -> Vec<String> {
    let mut lines = vec![shown(vertex.id)];
    lines.extend(Some(shown(vertex.capability)).filter(|line| !line.is_empty()));
    match vertex.node_kind {
        NodeKind::Plain => {}
        NodeKind::Repeated => lines.push("the id of a node before it".to_owned()),
        NodeKind::Missing => lines.push("unknown node".to_owned()),
    }
    lines.extend(vertex.diagnostics.iter().map(|diagnostic| diagnostic_line(*diagnostic)));
    lines
}

/// Returns the lines about the plan: its outcome, and the diagnostics that belong to no vertex.
pub(super) fn about(drawing: &Drawing<'_>) -> Vec<String> {
    let diagnostic_line = drawing.about_plan.iter().map(|diagnostic| diagnostic_line(*diagnostic));
    std::iter::once(shown(&drawing.outcome())).chain(diagnostic_line).collect()
}

/// Returns the line of a diagnostic: its severity, its code or cause, and its subject.
fn diagnostic_line(diagnostic: Node<'_>) -> String {
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

/// Returns the text with escaped invisible characters, cut after [`LONGEST`] characters.
fn shown(text: &str) -> String {
    visible(&cut(text, LONGEST))
}
