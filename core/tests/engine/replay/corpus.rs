//! The cases of the corpus: each gets its answer, and every code occurs in one case and is absent in another.

use std::{fs, path::Path};

use adjudicate_core::ir::replay::ReplayCode;
use serde_json::Value;

use crate::replay::verify;

/// The cases by name: the call as it stands, and the answer.
#[expect(clippy::unwrap_used, reason = "the corpus has these files")]
fn cases() -> Vec<(String, String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/verify_replay");
    let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut cases: Vec<_> = files
        .filter_map(|file| {
            let name = file.strip_suffix(".answer.json")?.to_owned();
            let call = fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
            let answer = fs::read_to_string(folder.join(file)).unwrap();
            Some((name, call, serde_json::from_str(&answer).unwrap()))
        })
        .collect();
    cases.sort_by(|left, right| left.0.cmp(&right.0));
    cases
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
