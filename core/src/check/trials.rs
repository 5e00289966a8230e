//! The tests that a policy brings, run.

use alloc::{
    format,
    string::{String, ToString as _},
    vec::Vec,
};

use serde::Serialize;

use super::{
    code::CheckCode,
    finding::CheckFinding,
    tree::Tree,
    witness::{Bench, Trial},
};
use crate::{
    error::Error,
    evaluate::evaluate_text,
    json::{self, Kind, Limits, Node, Pointer},
    logic::Number,
    policy::{Policy, Test},
};

/// Where an answer is not what is expected.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Difference {
    /// JSON Pointer into what is expected, and into the answer as far as it goes there.
    pub path: String,
    /// What is expected there.
    #[cfg_attr(feature = "typescript", tsify(type = "unknown"))]
    pub expected: Tree,
    /// What is there, if anything is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", tsify(type = "unknown"))]
    pub actual: Option<Tree>,
}

/// Runs a test of a policy: the answer to its input, an evaluation or `{"error": ...}`, and where that is not what is
/// expected. The test passes where there is no difference.
///
/// # Errors
///
/// None that the engine can make: only an answer that is no JSON.
///
/// ```
/// use adjudicate_core::{Policy, check::run_test};
/// let policy = Policy::parse(br#"{"policy": "p", "version": "1.0.0", "tests": [{"name": "an envelope has a run",
///     "input": {}, "expect": {"error": {"code": "missing_field", "path": "/run"}}}]}"#)?;
/// let (_, differences) = run_test(&policy, &policy.tests()[0])?;
/// assert_eq!(differences[0].path, "/error/path");
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn run_test(policy: &Policy, test: &Test) -> Result<(String, Vec<Difference>), Error> {
    let answer = evaluate_text(test.input().as_bytes(), Some(policy)).unwrap_or_else(|error| error.to_json());
    let differences = compare(test.expect(), &answer)?;
    Ok((answer, differences))
}

/// Where an answer is not what is expected; both are JSON texts.
fn compare(expected: &str, answer: &str) -> Result<Vec<Difference>, Error> {
    let expected = json::read(expected.as_bytes(), Limits::DOCUMENT)?;
    let answer = json::read(answer.as_bytes(), Limits::ANSWER)?;
    Ok(differences(expected.root(), answer.root()))
}

/// Where an answer is not what is expected: an object has at least the members that are expected, a list exactly the
/// items, in their order, and any other value is the same (numbers exactly).
#[must_use]
pub fn differences(expected: Node<'_>, actual: Node<'_>) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut pending = Vec::from([(Pointer::new(""), expected, Some(actual))]);
    while let Some((path, expected, actual)) = pending.pop() {
        let Some(there) = actual.filter(|actual| is_alike(expected, *actual)) else {
            let (expected, actual) = (Tree::from(expected), actual.map(Tree::from));
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

/// Whether two values are the same but for what is in them.
fn is_alike(expected: Node<'_>, actual: Node<'_>) -> bool {
    match (expected.kind(), actual.kind()) {
        (Kind::Integer | Kind::Float, Kind::Integer | Kind::Float) => {
            let number = |node: Node<'_>| Number::read(node.as_number().unwrap_or_default());
            number(expected).compare(&number(actual)).is_some_and(core::cmp::Ordering::is_eq)
        }
        (Kind::String, Kind::String) => expected.as_str() == actual.as_str(),
        (Kind::Array, Kind::Array) => expected.len() == actual.len(),
        (expected, actual) => expected == actual,
    }
}

/// Reports the tests that fail.
pub(super) fn check(policy: &Policy, bench: &mut Bench<'_>, findings: &mut Vec<CheckFinding>) {
    for (index, test) in policy.tests().iter().enumerate() {
        let path = Pointer::new("/tests").index(index);
        let name = test.name();
        let Some(Trial { answer, witness }) = bench.trial(test.input()) else {
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
        let expected = shown(&first.expected);
        let actual = first.actual.as_ref().map_or_else(|| "nothing".to_string(), shown);
        let message = format!("the test `{name}` fails: expected {expected}, found {actual}");
        findings.push(CheckFinding::new(CheckCode::FailingTest, path, message).shown_by(Some(witness)));
    }
}

/// A value in a message: short, or by its sort.
fn shown(value: &Tree) -> String {
    match value {
        Tree::Object(_) => "an object".into(),
        Tree::List(items) if items.is_empty() => "an empty list".into(),
        Tree::List(items) if items.len() == 1 => "a list of 1 item".into(),
        Tree::List(items) => format!("a list of {} items", items.len()),
        plain => format!("`{}`", json::shorten(&json::write(plain))),
    }
}
