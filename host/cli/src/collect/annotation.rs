//! Findings as annotations of source files, for the formats of code hosts.

use std::path::Path;

use adjudicate_core::{evaluate::Status, owned::Finding, policy::RuleMode};
use adjudicate_trust::Digest;
use serde_json::Value;

use super::reported::Reported;

/// A finding with its place in the repository.
pub(super) struct Annotation<'a> {
    pub(super) finding: &'a Finding,
    pub(super) level: Level,
    pub(super) place: Option<Place>,
    /// A digest of the rule, the file and the summary without numbers. No two annotations of a decision have the same.
    pub(super) fingerprint: String,
}

/// The weight of an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// The finding stops the run: a human has to look, or the change has to be undone.
    Error,
    /// The finding can be fixed.
    Warning,
    /// The finding is monitored, and has no effect.
    Note,
}

/// A place in a file of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The path below the root.
    pub(super) path: String,
    pub(super) line: Option<u32>,
}

impl Annotation<'_> {
    /// Returns the summary, and the way to resolve the finding on a line of its own.
    pub(super) fn message(&self) -> String {
        format!("{}\nTo resolve it: {}", self.finding.summary, self.finding.resolution.hint)
    }
}

/// Returns the annotations of a decision, in the order of its findings.
pub(super) fn annotations<'a>(reported: &Reported<'a>) -> Vec<Annotation<'a>> {
    let envelope: Value =
        serde_json::from_str(&reported.decided.collected.envelope.to_json()).unwrap_or_default();
    let mut annotations: Vec<Annotation<'a>> = Vec::new();
    let mut known = std::collections::BTreeMap::new();
    for finding in &reported.decided.evaluation.findings {
        let place = evidence_of(finding, &envelope).and_then(|evidence| place(evidence, reported.root));
        let path = place.as_ref().map_or("", |place| &place.path);
        // A summary may name lines, which move with other changes of the file.
        let summary = finding.summary.replace(|letter: char| letter.is_ascii_digit(), "");
        let text = [&*finding.rule, path, &summary].join("\n");
        let again = known.entry(text.clone()).and_modify(|count| *count += 1).or_insert(0_u32);
        let fingerprint = Digest::sha256(format!("{text}\n{again}").as_bytes()).hex();
        annotations.push(Annotation { finding, level: level(finding), place, fingerprint });
    }
    annotations
}

/// Returns the item of the envelope that a finding is about.
fn evidence_of<'e>(finding: &Finding, envelope: &'e Value) -> Option<&'e Value> {
    envelope.pointer(finding.evidence_ref.as_deref()?)
}

fn level(finding: &Finding) -> Level {
    match (finding.mode, finding.status) {
        (Some(RuleMode::Monitor), _) | (_, Status::Success) => Level::Note,
        (_, Status::Partial) => Level::Warning,
        (_, Status::Blocked | Status::NeedsHuman | Status::Unsafe) => Level::Error,
    }
}

/// Returns the place that an item of the evidence names: a changed file, the place of a case, or that of an issue.
fn place(evidence: &Value, root: &Path) -> Option<Place> {
    if let Some(path) = evidence.get("path").and_then(Value::as_str) {
        return Some(Place { path: path.to_owned(), line: None });
    }
    let texts = ["/observations/0", "/summary", "/edit/target"];
    texts.iter().find_map(|pointer| in_file(evidence.pointer(pointer)?.as_str()?, root))
}

/// Reads `FILE` or `FILE:LINE` at the beginning of a text, up to `: `. The file must exist, so other texts have no place.
fn in_file(text: &str, root: &Path) -> Option<Place> {
    let whole = text.split(": ").next()?;
    let (path, line) = match whole.split_once(':') {
        // The first line of a file is 1.
        Some((path, line)) => (path, Some(line.split(':').next()?.parse().ok().filter(|line| *line > 0)?)),
        None => (whole, None),
    };
    let path = path.strip_prefix("./").unwrap_or(path);
    let is_below = Path::new(path).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    (!path.is_empty() && is_below && root.join(path).is_file()).then(|| Place { path: path.to_owned(), line })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_file_of_the_repository() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        for (text, expected) in [
            ("src/main.rs", Some(None)),
            ("src/main.rs:3", Some(Some(3))),
            ("src/main.rs:3:7: no such name", Some(Some(3))),
            ("src/main.rs: no such name", Some(None)),
            ("src/missing.rs:3", None),
            ("src/main.rs:0", None),
            ("./src/main.rs:3", Some(Some(3))),
            ("src", None),
            ("../cli/src/main.rs", None),
            ("/etc/passwd", None),
            ("the value is 3", None),
            ("", None),
        ] {
            assert_eq!(in_file(text, root).map(|place| place.line), expected, "{text}");
        }
    }
}
