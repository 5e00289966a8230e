//! The comparison of two outcomes of one call.

use std::collections::{BTreeMap, BTreeSet};

use adjudicate_core::{
    document::Describe,
    json::{self, Node, ReadLimits},
};
use serde::Serialize;

use super::outcome::{Label, LabeledOutcome};

/// The degree of difference between two outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Describe, Serialize)]
#[document(name = "Change")]
#[serde(rename_all = "snake_case")]
pub enum OutcomeChange {
    /// No difference.
    None,
    /// A difference outside of decision and findings: names and versions of policies, or the wording of findings.
    Wording,
    /// A difference in the decision or the findings, but not in the status.
    Decision,
    /// A difference in the status.
    Status,
}

/// The comparison of two outcomes of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Comparison {
    /// The label before.
    pub(super) from: Label,
    /// The label after.
    pub(super) to: Label,
    /// The degree of difference.
    pub(super) change: OutcomeChange,
    /// The details of both outcomes, if they differ.
    pub(super) sides: Option<Box<(OutcomeDetails, OutcomeDetails)>>,
    /// The fields of the decision that differ.
    pub(super) members: Vec<String>,
}

/// The parts of an outcome that are compared one by one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OutcomeDetails {
    /// The next step.
    pub(super) next_step: Option<String>,
    /// The risk flags.
    pub(super) flags: BTreeSet<String>,
    /// The codes of the blockers.
    pub(super) blockers: BTreeSet<String>,
    /// The findings: rule and path.
    pub(super) findings: BTreeSet<(String, String)>,
    /// The code of an error.
    pub(super) error: Option<String>,
}

impl Comparison {
    /// Compares the outcomes of a call before and after.
    pub(super) fn new(before: &LabeledOutcome, after: &LabeledOutcome) -> Self {
        let (from, to) = (before.label, after.label);
        if before == after {
            return Self { from, to, change: OutcomeChange::None, sides: None, members: Vec::new() };
        }
        let sides = (OutcomeDetails::new(before), OutcomeDetails::new(after));
        let members = differing(&decision(before), &decision(after));
        let change = match (from == to, sides.0 == sides.1 && members.is_empty()) {
            (false, _) => OutcomeChange::Status,
            (true, false) => OutcomeChange::Decision,
            (true, true) => OutcomeChange::Wording,
        };
        Self { from, to, change, sides: Some(Box::new(sides)), members }
    }
}

/// The fields that programs act on, each as canonical JSON: the fields of an evaluation's decision, or of the whole answer of
/// another operation. An error has none: only its code counts.
fn decision(outcome: &LabeledOutcome) -> BTreeMap<String, String> {
    if outcome.label == Label::Error {
        return BTreeMap::new();
    }
    let Ok(tape) = json::read(outcome.text.as_bytes(), ReadLimits::ANSWER) else { return BTreeMap::new() };
    let root = tape.root();
    let decision = root.member("decision").unwrap_or(root);
    decision.members().map(|(name, value)| (name.to_owned(), json::canonical(value))).collect()
}

/// The names whose values differ.
fn differing(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> Vec<String> {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    names.into_iter().filter(|name| before.get(*name) != after.get(*name)).cloned().collect()
}

impl OutcomeDetails {
    fn new(outcome: &LabeledOutcome) -> Self {
        if outcome.label == Label::Error {
            return Self { error: outcome.error_code(), ..Self::default() };
        }
        let Ok(tape) = json::read(outcome.text.as_bytes(), ReadLimits::ANSWER) else {
            return Self::default();
        };
        let root = tape.root();
        let text = |node: Node<'_>, name| node.member(name).and_then(Node::as_str).map(str::to_owned);
        let finding = |finding: Node<'_>| {
            Some((text(finding, "rule")?, text(finding, "evidence_ref").unwrap_or_default()))
        };
        let findings =
            root.member("findings").into_iter().flat_map(Node::items).filter_map(finding).collect();
        let Some(decision) = root.member("decision") else { return Self { findings, ..Self::default() } };
        let items = |name| decision.member(name).into_iter().flat_map(Node::items);
        Self {
            next_step: text(decision, "next_step"),
            flags: items("risk_flags").filter_map(Node::as_str).map(str::to_owned).collect(),
            blockers: items("blockers").filter_map(|blocker| text(blocker, "code")).collect(),
            findings,
            error: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use adjudicate_core::Operation;

    use super::*;

    fn answered(text: &str) -> LabeledOutcome {
        LabeledOutcome::answered(Operation::Evaluate, text.to_owned())
    }

    #[test]
    fn degrees_of_change_are_distinguished() {
        let base = r#"{"decision":{"status":"partial","next_step":"fix","blockers":[],"risk_flags":[]},"findings":[{"rule":"r","evidence_ref":"/a","summary":"s"}],"policy":null}"#;
        for (from, to, expected) in [
            ("", "", OutcomeChange::None),
            (r#""policy":null"#, r#""policy":{"name":"p"}"#, OutcomeChange::Wording),
            (r#""summary":"s""#, r#""summary":"t""#, OutcomeChange::Wording),
            (r#""next_step":"fix""#, r#""next_step":null"#, OutcomeChange::Decision),
            (r#""evidence_ref":"/a""#, r#""evidence_ref":"/b""#, OutcomeChange::Decision),
            (r#""risk_flags":[]"#, r#""risk_flags":["f"]"#, OutcomeChange::Decision),
            (r#""blockers":[]"#, r#""blockers":[{"code":"c"}]"#, OutcomeChange::Decision),
            ("partial", "success", OutcomeChange::Status),
            ("partial", "splendid", OutcomeChange::Status),
        ] {
            let after = base.replace(from, to);
            assert_eq!(Comparison::new(&answered(base), &answered(&after)).change, expected, "{to}");
        }
        let error = |code: &str, message: &str| {
            LabeledOutcome::failed(format!(
                r#"{{"error":{{"code":"{code}","message":"{message}","path":""}}}}"#
            ))
        };
        let compare = |before: &LabeledOutcome, after: &LabeledOutcome| Comparison::new(before, after).change;
        assert_eq!(compare(&error("a", "m"), &error("a", "m")), OutcomeChange::None);
        assert_eq!(compare(&error("a", "m"), &error("a", "n")), OutcomeChange::Wording);
        assert_eq!(compare(&error("a", "m"), &error("b", "m")), OutcomeChange::Decision);
        assert_eq!(compare(&error("a", "m"), &answered(base)), OutcomeChange::Status);
    }
}
