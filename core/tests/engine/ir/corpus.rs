//! The cases of the corpus: each keeps the contract, and all formats, reasons and words are in one.

use std::collections::BTreeSet;

use adjudicate_core::{
    Error, Operation,
    ir::{PlanFormat, PlanIr, check_normalized, source_text},
    json::{self, ReadLimits},
};
use adjudicate_tests::parity::{expected, read_of};
use serde_json::Value;

/// The cases: name, call, and answer without white space between its parts.
fn cases() -> Vec<(String, Vec<u8>, String)> {
    let fixtures = read_of(Operation::NormalizePlan).into_iter();
    fixtures
        .map(|fixture| (fixture.name.clone(), fixture.call.clone(), expected(&fixture).to_owned()))
        .collect()
}

#[expect(clippy::unwrap_used, reason = "an answer is JSON")]
fn answers() -> Vec<Value> {
    cases().iter().map(|(_, _, answer)| serde_json::from_str(answer).unwrap()).collect()
}

#[test]
fn every_answer_keeps_the_contract_and_gives_back_its_source() {
    for (name, call, expected) in cases() {
        let Ok(call) = json::read(&call, ReadLimits::DOCUMENT) else { continue };
        let tape = json::read(expected.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        let kept = check_normalized(call.root(), tape.root());
        // No place in the answer is at fault where the call has none.
        let is_refused = tape.root().member("error").map(|_| "");
        assert_eq!(kept.as_ref().err().map(Error::path), is_refused, "{name}: {kept:?}");
        let Some(plan) = tape.root().member("plan") else { continue };
        assert_eq!(PlanIr::read(plan).unwrap().to_json(), plan_text(&expected), "{name}");
        let back: Value = serde_json::from_str(&source_text(tape.root()).unwrap()).unwrap();
        let source: Value = serde_json::from_str(call.text()).unwrap();
        crate::ir::laws::assert_same(&back, &source["plan"], &name);
    }
}

/// The text of an answer's plan.
fn plan_text(answer: &str) -> &str {
    let rest = answer.strip_prefix(r#"{"plan":"#).unwrap_or_default();
    rest.split_once(r#","plan_hash":""#).map_or("", |(plan, _)| plan)
}

#[test]
fn every_format_reason_and_word_is_in_an_answer() {
    let answers = answers();
    let reported = |pointer: &str, member: &str| -> BTreeSet<String> {
        let lists = answers.iter().filter_map(|answer| answer.pointer(pointer)?.as_array()).flatten();
        lists.filter_map(|item| Some(item.get(member)?.as_str()?.to_owned())).collect()
    };
    let texts = |pointer: &str| -> BTreeSet<String> {
        answers.iter().filter_map(|answer| Some(answer.pointer(pointer)?.as_str()?.to_owned())).collect()
    };
    let all = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(texts("/adapter/format"), all(PlanFormat::WORDS));
    assert_eq!(
        reported("/adapter/inferred", "reason"),
        all(&["default", "derived", "alias", "invalid_id", "repeated_id"])
    );
    assert_eq!(reported("/plan/steps", "intent"), all(&["investigate", "modify", "verify", "synthesize"]));
    assert_eq!(texts("/plan/complexity"), all(&["low", "medium", "high", "very_high"]));
}
