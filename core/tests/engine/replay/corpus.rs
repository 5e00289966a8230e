//! The cases of the corpus: each gets its answer, and every code occurs in one case and is absent in another.

use adjudicate_core::{Operation, ir::replay::ReplayCode};
use adjudicate_tests::parity::{expected, read_of};
use serde_json::Value;

use crate::replay::verify;

/// The cases by name: the call as it stands, and the answer.
#[expect(clippy::unwrap_used, reason = "the corpus has these files")]
fn cases() -> Vec<(String, String, Value)> {
    let fixtures = read_of(Operation::VerifyReplay).into_iter();
    fixtures
        .map(|fixture| {
            let expected = serde_json::from_str(expected(&fixture)).unwrap();
            (fixture.name, String::from_utf8(fixture.call).unwrap(), expected)
        })
        .collect()
}

#[test]
fn cases_have_their_answers() {
    for (name, call, expected) in cases() {
        let answer = verify(&call).unwrap_or_else(|error| error.to_json());
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer, expected, "{name}");
        let is_error = name.starts_with("bad-") || name.starts_with("garbage-");
        assert_eq!(answer.get("error").is_some(), is_error, "{name}");
    }
}

#[test]
fn every_code_is_found_in_a_case_and_not_found_in_another() {
    let cases = cases();
    // It needs a thousand findings, and occurs in a test about long logs.
    for code in ReplayCode::WORDS.iter().filter(|code| **code != ReplayCode::FindingsOmitted.as_str()) {
        let prefix = format!("{}-", code.replace('_', "-"));
        let of_code = || cases.iter().filter(|(name, ..)| format!("{name}-").starts_with(&prefix));
        for (name, _, answer) in of_code() {
            let has = answer["findings"].as_array().unwrap().iter().any(|found| found["code"] == *code);
            assert_eq!(has, !name.starts_with(&format!("{prefix}quiet-")), "{name}");
        }
        let quiet = of_code().filter(|(name, ..)| name.contains("-quiet-")).count();
        assert!(quiet > 0 && of_code().count() > quiet, "{prefix} {quiet}");
    }
}
