//! The tests that a policy brings, run.

use alloc::{
    format,
    string::{String, ToString as _},
    vec::Vec,
};
use core::fmt;

use serde::Serialize;

use super::{
    code::CheckCode,
    finding::CheckFinding,
    verifier::{Trial, Verifier},
};
use crate::{
    error::Error,
    json::{self, Kind, Limits, Node, OwnedValue, Pointer},
    policy::Policy,
};

/// Where an answer is not what is expected.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Difference {
    /// JSON Pointer into what is expected, and into the answer as far as it goes there.
    pub path: String,
    /// What is expected there.
    #[cfg_attr(feature = "typescript", tsify(type = "unknown"))]
    pub expected: OwnedValue,
    /// What is there, if anything is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", tsify(type = "unknown"))]
    pub actual: Option<OwnedValue>,
}

impl fmt::Display for Difference {
    /// What is expected and what is there, in a few words: short values as they are, others by their sort.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let actual = self.actual.as_ref().map_or_else(|| "nothing".to_string(), shown);
        write!(f, "expected {}, found {actual}", shown(&self.expected))
    }
}

/// Where an answer is not what is expected, as [`differences`] finds it in texts.
///
/// # Errors
///
/// Those of [`json::read`], for either.
///
/// ```
/// use adjudicate_core::check::compare;
/// let found = compare(r#"{"status": "blocked"}"#, r#"{"status": "partial", "findings": []}"#)?;
/// assert_eq!(found[0].path, "/status");
/// assert_eq!(found[0].to_string(), "expected `\"blocked\"`, found `\"partial\"`");
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn compare(expected: &str, answer: &str) -> Result<Vec<Difference>, Error> {
    // An answer may be larger than any input.
    let limits = Limits::ANSWER;
    let (expected, answer) =
        (json::read(expected.as_bytes(), limits)?, json::read(answer.as_bytes(), limits)?);
    Ok(differences(expected.root(), answer.root()))
}

/// Where an answer is not what is expected: an object has at least the members that are expected, a list exactly the
/// items, in their order, and any other value is the same (numbers exactly).
#[must_use]
pub fn differences(expected: Node<'_>, actual: Node<'_>) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut pending = Vec::from([(Pointer::new(""), expected, Some(actual))]);
    while let Some((path, expected, actual)) = pending.pop() {
        let Some(there) = actual.filter(|actual| has_parts_of(expected, *actual)) else {
            let (expected, actual) = (OwnedValue::from(expected), actual.map(OwnedValue::from));
            found.push(Difference { path: path.into_string(), expected, actual });
            continue;
        };
        let members =
            expected.members().map(|(name, value)| (path.clone().key(name), value, there.member(name)));
        let items = expected.items().zip(there.items()).enumerate();
        let items = items.map(|(index, (value, there))| (path.clone().index(index), value, Some(there)));
        let mut parts: Vec<_> = members.chain(items).collect();
        parts.reverse();
        pending.extend(parts);
    }
    found
}

/// Whether two values are the same, what is in them aside.
fn has_parts_of(expected: Node<'_>, actual: Node<'_>) -> bool {
    expected.is_like(actual) && (expected.kind() != Kind::Array || expected.len() == actual.len())
}

/// Reports the tests that fail.
pub(super) fn check(policy: &Policy, verifier: &mut Verifier<'_>, findings: &mut Vec<CheckFinding>) {
    for (index, test) in policy.tests().iter().enumerate() {
        let path = Pointer::new("/tests").index(index);
        let name = test.name();
        let Some(Trial { answer, witness }) = verifier.trial(test.input()) else {
            let message =
                format!("the test `{name}` was not run: checking takes more steps than its budget allows");
            findings.push(CheckFinding::new(CheckCode::FailingTest, path.into_string(), message));
            continue;
        };
        let Some(first) = compare(test.expect(), &answer).ok().and_then(|found| found.into_iter().next())
        else {
            continue;
        };
        let path = path.key("expect").into_string() + &first.path;
        let message = format!("the test `{name}` fails: {first}");
        findings.push(CheckFinding::new(CheckCode::FailingTest, path, message).shown_by(Some(witness)));
    }
}

/// A value in a message: short, or by its sort.
fn shown(value: &OwnedValue) -> String {
    match value {
        OwnedValue::Object(_) => "an object".into(),
        OwnedValue::List(items) if items.is_empty() => "an empty list".into(),
        OwnedValue::List(items) if items.len() == 1 => "a list of 1 item".into(),
        OwnedValue::List(items) => format!("a list of {} items", items.len()),
        plain => format!("`{}`", json::shorten(&json::write(plain))),
    }
}
