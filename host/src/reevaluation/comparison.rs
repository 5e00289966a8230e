//! The comparison of two outcomes of one call, and forbidden changes for CI.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    str::FromStr,
};

use adjudicate_core::{
    Error,
    document::Describe,
    json::{self, Node, ReadLimits},
};
use serde::Serialize;

use super::outcome::{Label, LabeledOutcome};
use crate::codes;

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

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Comparison {
    pub(super) from: Label,
    pub(super) to: Label,
    pub(super) change: OutcomeChange,
    /// The details of both outcomes, if they differ.
    pub(super) sides: Option<Box<(OutcomeDetails, OutcomeDetails)>>,
    /// The fields of the decision that differ.
    pub(super) members: Vec<String>,
}

/// The parts of an outcome that are compared one by one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OutcomeDetails {
    pub(super) next_step: Option<String>,
    pub(super) flags: BTreeSet<String>,
    /// The codes of the blockers.
    pub(super) blockers: BTreeSet<String>,
    /// The findings: rule and path.
    pub(super) findings: BTreeSet<(String, String)>,
    pub(super) error: Option<String>,
}

impl Comparison {
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

/// A forbidden change: `success->*`, `*->error`, `partial->blocked`, or `changed` for any change of a decision. `*` stands for
/// every status and `error`. A status that stays the same is not a change.
///
/// ```
/// use adjudicate_host::reevaluation::Expectation;
/// assert!("success->*".parse::<Expectation>().is_ok());
/// assert!("changed".parse::<Expectation>().is_ok());
/// let error = "sucess->*".parse::<Expectation>().unwrap_err();
/// assert_eq!(error.message(), "`sucess->*` is not a change: unknown status `sucess`");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// Every change of a decision.
    Changed,
    /// A change of the status from one label to another; `None` stands for every label.
    Transition(Option<Label>, Option<Label>),
}

impl Expectation {
    /// True if the comparison shows this forbidden change.
    pub(super) fn is_met_by(self, comparison: &Comparison) -> bool {
        match self {
            Self::Changed => comparison.change >= OutcomeChange::Decision,
            Self::Transition(from, to) => {
                comparison.from != comparison.to
                    && from.is_none_or(|from| from == comparison.from)
                    && to.is_none_or(|to| to == comparison.to)
            }
        }
    }
}

impl FromStr for Expectation {
    type Err = Error;

    /// # Errors
    ///
    /// [`codes::WRONG_USAGE`] for any other text.
    fn from_str(text: &str) -> Result<Self, Error> {
        let shown: String = text.chars().take(100).collect();
        let refused =
            |reason: String| Error::new(codes::WRONG_USAGE, format!("`{shown}` is not a change: {reason}"));
        if text == "changed" {
            return Ok(Self::Changed);
        }
        let (from, to) = text
            .split_once("->")
            .ok_or_else(|| refused("expected `STATUS->STATUS`, with `*` for any, or `changed`".to_owned()))?;
        let side = |name: &str| match name.trim() {
            "*" => Ok(None),
            name => {
                let label = Label::from_text(name);
                label.map(Some).ok_or_else(|| refused(format!("unknown status `{name}`")))
            }
        };
        let (from, to) = (side(from)?, side(to)?);
        if from.is_some() && from == to {
            return Err(refused("both statuses are the same".to_owned()));
        }
        Ok(Self::Transition(from, to))
    }
}

impl fmt::Display for Expectation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |label: Option<Label>| label.map_or("*", Label::as_str);
        match self {
            Self::Changed => f.write_str("changed"),
            Self::Transition(from, to) => write!(f, "{}->{}", side(*from), side(*to)),
        }
    }
}

#[cfg(test)]
mod tests {
    use adjudicate_core::Operation;

    use super::*;

    fn answered(text: &str) -> LabeledOutcome {
        LabeledOutcome::new(Operation::Evaluate, Ok(text.to_owned()))
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
            let text = format!(r#"{{"error":{{"code":"{code}","message":"{message}","path":""}}}}"#);
            LabeledOutcome::new(Operation::Evaluate, Err(text))
        };
        let compare = |before: &LabeledOutcome, after: &LabeledOutcome| Comparison::new(before, after).change;
        assert_eq!(compare(&error("a", "m"), &error("a", "m")), OutcomeChange::None);
        assert_eq!(compare(&error("a", "m"), &error("a", "n")), OutcomeChange::Wording);
        assert_eq!(compare(&error("a", "m"), &error("b", "m")), OutcomeChange::Decision);
        assert_eq!(compare(&error("a", "m"), &answered(base)), OutcomeChange::Status);
    }

    fn comparison(from: &str, to: &str, change: OutcomeChange) -> Comparison {
        let [from, to] = [from, to].map(|text| Label::from_text(text).unwrap());
        Comparison { from, to, change, sides: None, members: Vec::new() }
    }

    #[test]
    fn patterns_match_their_changes() {
        let cases = [
            comparison("success", "success", OutcomeChange::Wording),
            comparison("success", "success", OutcomeChange::Decision),
            comparison("success", "partial", OutcomeChange::Status),
            comparison("partial", "error", OutcomeChange::Status),
        ];
        for (pattern, expected) in [
            ("success->*", [false, false, true, false]),
            ("* -> error", [false, false, false, true]),
            ("*->*", [false, false, true, true]),
            ("partial->error", [false, false, false, true]),
            ("error->partial", [false; 4]),
            ("changed", [false, true, true, true]),
        ] {
            let expectation: Expectation = pattern.parse().unwrap();
            assert_eq!(cases.each_ref().map(|case| expectation.is_met_by(case)), expected, "{pattern}");
            assert_eq!(expectation.to_string().parse(), Ok(expectation));
        }
        for bad in
            ["", "->", "success", "success>*", "success->", "Success->*", "success->success", "*->*->*"]
        {
            let error = bad.parse::<Expectation>().unwrap_err();
            assert_eq!(error.code(), codes::WRONG_USAGE, "{bad}");
        }
    }
}
