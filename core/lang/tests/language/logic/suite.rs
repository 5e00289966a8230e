//! The public suite of the reference implementation, in compat mode.

use std::{env, fs, path::PathBuf};

use adjudicate_lang::{evaluate_logic, logic::Mode};
use serde_json::{Value, json};

/// The least number of cases in the suite.
const FEWEST_CASES: usize = 278;

/// Returns the text of the suite, or `None` if it is missing, which is an error in CI.
fn suite() -> Option<String> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/suites");
    let folder = env::var_os("ADJUDICATE_SUITES").map_or_else(beside, PathBuf::from);
    let text = fs::read_to_string(folder.join("jsonlogic/compatible.json")).ok();
    if text.is_none() {
        assert_ne!(env::var("CI").as_deref(), Ok("true"), "no suite in {}", folder.display());
        eprintln!("skipped: no suite in {}; set ADJUDICATE_SUITES", folder.display());
    }
    text
}

#[test]
fn every_case_of_the_reference_passes_in_compat_mode() {
    let Some(suite) = suite() else { return };
    let suite: Vec<Value> = serde_json::from_str(&suite).unwrap();
    // Strings between the cases are titles.
    let cases: Vec<&Value> = suite.iter().filter(|case| case.is_object()).collect();
    assert!(cases.len() >= FEWEST_CASES, "{} cases", cases.len());
    for case in cases {
        let call = json!({"logic": case["rule"], "data": case["data"]});
        let answer = evaluate_logic(call.to_string().as_bytes(), Mode::Compat);
        let answer: Value =
            serde_json::from_str(&answer.unwrap_or_else(|error| panic!("{case}: {error}"))).unwrap();
        assert!(is_same(&answer, &case["result"]), "{case}: {answer}");
    }
}

/// Returns whether two values are equal, regardless of the notation of numbers.
fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| is_same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            let same = |(name, left)| right.get(name).is_some_and(|right| is_same(left, right));
            left.len() == right.len() && left.iter().all(same)
        }
        _ => left == right,
    }
}
