//! What is different between two answers to one call.

use std::collections::{BTreeMap, BTreeSet};

use adjudicate_core::json::{self, Limits, Node};
use serde::Serialize;

use super::outcome::{Label, Outcome};

/// How much two answers differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Not by a byte.
    None,
    /// In what goes with a decision: names and versions of policies, the wording of findings.
    Wording,
    /// In the decision or in what was found, not in the status.
    Decision,
    /// In the status.
    Status,
}

/// Two answers to one call, and what is different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Comparison {
    /// What it came to before.
    pub(super) from: Label,
    /// What it comes to now.
    pub(super) to: Label,
    /// How much is different.
    pub(super) change: Change,
    /// What each of the two says, where something is different.
    pub(super) sides: Option<Box<(Said, Said)>>,
    /// The members of the decision that are different.
    pub(super) members: Vec<String>,
}

/// What an answer says, as far as it is compared one by one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// The step that comes next.
    pub(super) next_step: Option<String>,
    /// The flags that are raised.
    pub(super) flags: BTreeSet<String>,
    /// The codes of what blocks.
    pub(super) blockers: BTreeSet<String>,
    /// What was found: the rule, and where.
    pub(super) findings: BTreeSet<(String, String)>,
    /// The code of an error.
    pub(super) error: Option<String>,
}

impl Comparison {
    /// Compares what a call came to before and what it comes to now.
    pub(super) fn of(before: &Outcome, after: &Outcome) -> Self {
        let (from, to) = (before.label, after.label);
        if before == after {
            return Self { from, to, change: Change::None, sides: None, members: Vec::new() };
        }
        let sides = (Said::of(before), Said::of(after));
        let members = differing(&decision(before), &decision(after));
        let change = match (from == to, sides.0 == sides.1 && members.is_empty()) {
            (false, _) => Change::Status,
            (true, false) => Change::Decision,
            (true, true) => Change::Wording,
        };
        Self { from, to, change, sides: Some(Box::new(sides)), members }
    }
}

/// What is acted upon, each member in canonical form: those of the decision of an evaluation, of the whole of any other answer; none
/// of an error, whose code is all that is.
fn decision(outcome: &Outcome) -> BTreeMap<String, String> {
    if outcome.label == Label::ERROR {
        return BTreeMap::new();
    }
    let Ok(tape) = json::read(outcome.text.as_bytes(), Limits::ANSWER) else { return BTreeMap::new() };
    let root = tape.root();
    let decision = root.member("decision").unwrap_or(root);
    decision.members().map(|(name, value)| (name.to_owned(), json::canonical(value))).collect()
}

/// The names whose values are not the same.
fn differing(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> Vec<String> {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    names.into_iter().filter(|name| before.get(*name) != after.get(*name)).cloned().collect()
}

impl Said {
    fn of(outcome: &Outcome) -> Self {
        if outcome.label == Label::ERROR {
            return Self { error: outcome.error_code(), ..Self::default() };
        }
        let Ok(tape) = json::read(outcome.text.as_bytes(), Limits::ANSWER) else { return Self::default() };
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

    fn answered(text: &str) -> Outcome {
        Outcome::answered(Operation::Evaluate, text.to_owned())
    }

    #[test]
    fn changes_are_told_apart() {
        let base = r#"{"decision":{"status":"partial","next_step":"fix","blockers":[],"risk_flags":[]},"findings":[{"rule":"r","evidence_ref":"/a","summary":"s"}],"policy":null}"#;
        for (from, to, expected) in [
            ("", "", Change::None),
            (r#""policy":null"#, r#""policy":{"name":"p"}"#, Change::Wording),
            (r#""summary":"s""#, r#""summary":"t""#, Change::Wording),
            (r#""next_step":"fix""#, r#""next_step":null"#, Change::Decision),
            (r#""evidence_ref":"/a""#, r#""evidence_ref":"/b""#, Change::Decision),
            (r#""risk_flags":[]"#, r#""risk_flags":["f"]"#, Change::Decision),
            (r#""blockers":[]"#, r#""blockers":[{"code":"c"}]"#, Change::Decision),
            ("partial", "success", Change::Status),
            ("partial", "splendid", Change::Status),
        ] {
            let after = base.replace(from, to);
            assert_eq!(Comparison::of(&answered(base), &answered(&after)).change, expected, "{to}");
        }
        let error = |code: &str, message: &str| {
            Outcome::failed(format!(r#"{{"error":{{"code":"{code}","message":"{message}","path":""}}}}"#))
        };
        let compare = |before: &Outcome, after: &Outcome| Comparison::of(before, after).change;
        assert_eq!(compare(&error("a", "m"), &error("a", "m")), Change::None);
        assert_eq!(compare(&error("a", "m"), &error("a", "n")), Change::Wording);
        assert_eq!(compare(&error("a", "m"), &error("b", "m")), Change::Decision);
        assert_eq!(compare(&error("a", "m"), &answered(base)), Change::Status);
    }
}
