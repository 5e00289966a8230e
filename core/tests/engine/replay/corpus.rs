//! The cases of the corpus: every code occurs in one case and is absent in another.

use adjudicate_core::{Operation, ir::replay::ReplayCode};
use adjudicate_tests::parity::{expected, read_of};
use serde_json::Value;

/// The answers by the names of the cases.
#[expect(clippy::unwrap_used, reason = "the corpus has these files")]
fn cases() -> Vec<(String, Value)> {
    let fixtures = read_of(Operation::VerifyReplay).into_iter();
    fixtures
        .map(|fixture| (serde_json::from_str(expected(&fixture)).unwrap(), fixture.name))
        .map(|(answer, name)| (name, answer))
        .collect()
}

#[test]
fn every_code_is_found_in_a_case_and_not_found_in_another() {
    let cases = cases();
    // It needs a thousand findings, and occurs in a test about long logs.
    for code in ReplayCode::WORDS.iter().filter(|code| **code != ReplayCode::FindingsOmitted.as_str()) {
        let prefix = format!("{}-", code.replace('_', "-"));
        let of_code = || cases.iter().filter(|(name, _)| format!("{name}-").starts_with(&prefix));
        for (name, answer) in of_code() {
            let has = answer["findings"].as_array().unwrap().iter().any(|found| found["code"] == *code);
            assert_eq!(has, !name.starts_with(&format!("{prefix}quiet-")), "{name}");
        }
        let quiet = of_code().filter(|(name, _)| name.contains("-quiet-")).count();
        assert!(quiet > 0 && of_code().count() > quiet, "{prefix} {quiet}");
    }
}
