//! Runs the tests of a policy.

use alloc::{
    format,
    string::{String, ToString as _},
    vec::Vec,
};
use core::fmt;

use adjudicate_lang::{
    Error,
    document::Describe,
    json::{self, Kind, Node, OwnedValue, Pointer, ReadLimits},
};
use serde::Serialize;

use super::{
    finding::CheckFindings,
    verifier::{Trial, Verifier},
};
use crate::{
    documents::{check_code::CheckCode, check_finding::CheckFinding},
    policy::Policy,
};

/// A difference between an answer and its expectation.
#[derive(Clone, Debug, Describe, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Difference {
    /// JSON Pointer into the expectation, and into the answer as far as it exists there.
    pub path: String,
    /// The expected value.
    #[cfg_attr(feature = "typescript", tsify(type = "unknown"))]
    pub expected: OwnedValue,
    /// The actual value, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", tsify(type = "unknown"))]
    pub actual: Option<OwnedValue>,
}

impl fmt::Display for Difference {
    /// Both values in a few words: short ones in full, others by their type.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let actual = self.actual.as_ref().map_or_else(|| "nothing".to_string(), shown);
        write!(f, "expected {}, found {actual}", shown(&self.expected))
    }
}

/// The error that an input got in place of an answer. Its code may be a module's own.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
pub struct NoDecision {
    /// The stable code.
    pub code: String,
    /// The message.
    pub message: String,
    /// JSON Pointer into the input.
    pub path: String,
}

impl NoDecision {
    fn new(error: Node<'_>) -> Self {
        let text = |name| error.member(name).and_then(Node::as_str).unwrap_or_default().into();
        Self { code: text("code"), message: text("message"), path: text("path") }
    }
}

impl fmt::Display for NoDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = if self.path.is_empty() { "" } else { " at " };
        write!(f, "no decision: {}{at}{}", self.message, self.path)
    }
}

/// The reason why a test fails: its input got no answer, or the answer differs from the expectation (docs/reference/policies.md).
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// The error of an input that got no answer.
    pub error: Option<NoDecision>,
    /// The differences between the answer and `expect`. Empty for an error without `error` in `expect`, because nothing is
    /// compared then.
    pub differences: Vec<Difference>,
}

impl Mismatch {
    /// Compares an answer of `evaluate`, or its `{"error": ...}`, with the `expect` of a test; `None` if the test passes. An
    /// error is compared only with an `expect` that has `error`.
    ///
    /// # Errors
    ///
    /// Those of [`json::read`], for either text.
    ///
    /// ```
    /// use adjudicate_core::check::Mismatch;
    /// let expect = r#"{"decision": {"status": "blocked"}}"#;
    /// let found = Mismatch::find(expect, r#"{"decision": {"status": "partial"}, "findings": []}"#)?.unwrap();
    /// assert_eq!(found.path(), "/expect/decision/status");
    /// assert_eq!(found.to_string(), "expected `\"blocked\"`, found `\"partial\"`");
    ///
    /// let error = r#"{"error": {"code": "missing_field", "message": "missing field `run_id`", "path": "/run_id"}}"#;
    /// let found = Mismatch::find(expect, error)?.unwrap();
    /// assert_eq!(found.path(), "/input/run_id");
    /// assert_eq!(found.to_string(), "no decision: missing field `run_id` at /run_id");
    /// assert!(Mismatch::find(r#"{"error": {"code": "missing_field"}}"#, error)?.is_none());
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn find(expect: &str, answer: &str) -> Result<Option<Self>, Error> {
        // An answer may be larger than any input.
        let limits = ReadLimits::ANSWER;
        let (expect, answer) =
            (json::read(expect.as_bytes(), limits)?, json::read(answer.as_bytes(), limits)?);
        let (expect, answer) = (expect.root(), answer.root());
        let error = answer.member("error").map(NoDecision::new);
        let differences = match error {
            Some(_) if expect.member("error").is_none() => Vec::new(),
            _ => match differences(expect, answer) {
                found if found.is_empty() => return Ok(None),
                found => found,
            },
        };
        Ok(Some(Self { error, differences }))
    }

    /// JSON Pointer into the test: to the fault in its `input`, or into its `expect`. Empty for an error without a path.
    #[must_use]
    pub fn path(&self) -> String {
        match (self.differences.first(), &self.error) {
            (Some(first), _) => format!("/expect{}", first.path),
            (None, Some(error)) if !error.path.is_empty() => format!("/input{}", error.path),
            _ => String::new(),
        }
    }
}

impl fmt::Display for Mismatch {
    /// The first difference, then the error.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.differences.first(), &self.error) {
            (Some(first), Some(error)) => write!(f, "{first}; {error}"),
            (Some(first), None) => write!(f, "{first}"),
            (None, Some(error)) => write!(f, "{error}"),
            (None, None) => Ok(()),
        }
    }
}

/// The differences between two values. An object must have at least the expected fields, and a list exactly the expected items,
/// in order. Any other value must be equal, numbers exactly.
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

/// Returns true if two values are equal apart from their parts.
fn has_parts_of(expected: Node<'_>, actual: Node<'_>) -> bool {
    expected.is_like(actual) && (expected.kind() != Kind::Array || expected.len() == actual.len())
}

/// Reports the tests that fail.
pub(super) fn check(policy: &Policy, verifier: &mut Verifier<'_>, findings: &mut CheckFindings) {
    for (index, test) in policy.tests().iter().enumerate() {
        let path = Pointer::new("/tests").index(index);
        let name = test.name();
        let Some(Trial { answer, witness }) = verifier.trial(test.input()) else {
            let message =
                format!("the test `{name}` was not run: checking takes more steps than its budget allows");
            findings.push(CheckFinding::new(CheckCode::FailingTest, path.into_string(), message));
            continue;
        };
        let Some(mismatch) = Mismatch::find(test.expect(), &answer).ok().flatten() else { continue };
        let path = path.into_string() + &mismatch.path();
        let message = format!("the test `{name}` fails: {mismatch}");
        findings.push(CheckFinding::new(CheckCode::FailingTest, path, message).shown_by(Some(witness)));
    }
}

/// A value in a message: in full if it is short, otherwise by its type.
fn shown(value: &OwnedValue) -> String {
    match value {
        OwnedValue::Object(_) => "an object".into(),
        OwnedValue::List(items) if items.is_empty() => "an empty list".into(),
        OwnedValue::List(items) if items.len() == 1 => "a list of 1 item".into(),
        OwnedValue::List(items) => format!("a list of {} items", items.len()),
        plain => format!("`{}`", json::shorten(&json::write(plain))),
    }
}
