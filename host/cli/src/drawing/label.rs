//! The labels of drawings: short lines with escaped characters.

use adjudicate_core::plan::{Diagnostic, Level};
use adjudicate_trust::visible;

use super::{Drawing, NodeKind, Vertex, detail, details};
use crate::cut::cut;

/// The number of characters of a line that are shown.
const LONGEST: usize = 60;

/// The colors of each level: the line and the fill. Black text is legible on each fill.
pub(super) const PALETTE: [(Level, &str, &str); 3] = [
    (Level::Hard, "#b3261e", "#fce4e2"),
    (Level::Soft, "#a36200", "#fff0d1"),
    (Level::Informational, "#1f5fa8", "#e3eefb"),
];

/// Returns the most severe level of the diagnostics.
pub(super) fn most_severe(diagnostics: &[&Diagnostic<'_>]) -> Option<Level> {
    diagnostics.iter().map(|diagnostic| diagnostic.level).min()
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
    lines.extend(vertex.diagnostics.iter().map(|diagnostic| diagnostic_line(diagnostic)));
    lines
}

/// Returns the lines about the plan: its outcome, and the diagnostics that belong to no vertex.
pub(super) fn about(drawing: &Drawing<'_>) -> Vec<String> {
    let diagnostic_line = drawing.about_plan.iter().map(|diagnostic| diagnostic_line(diagnostic));
    std::iter::once(shown(&drawing.outcome)).chain(diagnostic_line).collect()
}

/// Returns the line of a diagnostic: its severity, its code or cause, and its subject.
fn diagnostic_line(diagnostic: &Diagnostic<'_>) -> String {
    let details = details(diagnostic);
    let code = detail(&details, "code");
    let what = if code.is_empty() { diagnostic.cause.as_str() } else { code };
    let mut line = format!("{}: {what}", diagnostic.level);
    let constraint = diagnostic.constraint.as_deref().unwrap_or_default();
    let about = [constraint, detail(&details, "property"), detail(&details, "facet")];
    if let Some(about) = about.iter().find(|about| !about.is_empty()) {
        line.extend([", ", about]);
    }
    shown(&line)
}

/// Returns the text with escaped invisible characters, cut after [`LONGEST`] characters.
fn shown(text: &str) -> String {
    visible(&cut(text, LONGEST))
}
