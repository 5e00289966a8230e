//! The cases of the corpus: each answer keeps its contract, and every word is in one.

use std::collections::BTreeSet;

use adjudicate_core::{
    Operation,
    deliberate::{ReasonCode, check_deliberation},
    json::{self, ReadLimits},
};
use adjudicate_tests::parity::{expected, read_of};
use serde_json::Value;

use crate::deliberate::words;

/// The calls and answers of the corpus, by name.
fn cases() -> Vec<(String, Vec<u8>, Value)> {
    let fixtures = read_of(Operation::Deliberate).into_iter();
    fixtures
        .map(|fixture| (serde_json::from_str(expected(&fixture)).unwrap(), fixture))
        .map(|(expected, fixture)| (fixture.name, fixture.call, expected))
        .collect()
}

#[test]
fn each_answer_keeps_its_contract() {
    for (name, call, expected) in cases() {
        let text = expected.to_string();
        let answer = json::read(text.as_bytes(), ReadLimits::ANSWER).unwrap();
        match json::read(&call, ReadLimits::DOCUMENT) {
            Ok(ledger) if expected.get("gate").is_some() => {
                assert_eq!(check_deliberation(ledger.root(), answer.root()), Ok(()), "{name}");
            }
            Ok(ledger) => assert!(check_deliberation(ledger.root(), answer.root()).is_err(), "{name}"),
            Err(_) => {}
        }
    }
}

#[test]
fn every_word_is_in_an_answer() {
    let (mut gates, mut stops) = (BTreeSet::new(), BTreeSet::new());
    let [mut reasons, mut triggers, mut duties, mut verdicts] = [const { BTreeSet::new() }; 4];
    let (mut switches, mut labels) = (BTreeSet::new(), BTreeSet::new());
    for (_, _, answer) in cases() {
        gates.extend(answer["gate"].as_str().map(str::to_owned));
        stops.extend(answer["stop_report"]["stop_reason"].as_str().map(str::to_owned));
        reasons.extend(words(&answer["reasons"], "/code"));
        switches.extend(answer["switch"]["trigger"].as_str().map(str::to_owned));
        labels.extend(answer["stop_report"]["recommendation"]["label"].as_str().map(str::to_owned));
        triggers.extend(words(&answer["triggers"], ""));
        duties.extend(words(&answer["duties"], ""));
        let of_question = answer["question_verdict"].as_object().into_iter().flatten();
        verdicts.extend(
            of_question.map(|(name, verdict)| format!("{name} {} {}", verdict["met"], verdict["reason"])),
        );
    }
    let all = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(gates, all(&["continue", "switch", "escalate", "commit", "stop"]));
    let ends =
        ["recommendation_ready", "blocking_question", "budget_exhausted", "stagnation", "human_required"];
    assert_eq!(stops, all(&ends));
    let codes: Vec<_> = ReasonCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(reasons, all(&codes));
    assert_eq!(
        triggers,
        all(&["repeated_failure", "no_new_files", "confidence_plateau", "redundant_queries"])
    );
    assert_eq!(duties, all(&["triad", "exploration_plan", "budget_allocation", "novelty_check"]));
    assert_eq!(verdicts.len(), 12, "{verdicts:?}");
    let switching =
        ["repeated_failure", "no_new_files", "confidence_plateau", "redundant_queries", "low_novelty"];
    assert_eq!(switches, all(&switching));
    assert_eq!(labels, all(&["best_effort", "provisional", "ready"]));
}

#[test]
fn sessions_reach_each_reason_for_a_stop_turn_by_turn() {
    for (story, turns, end) in [
        ("ready", 5, "recommendation_ready"),
        ("question", 7, "blocking_question"),
        ("budget", 6, "budget_exhausted"),
        ("stagnation", 6, "stagnation"),
        ("human", 5, "human_required"),
    ] {
        let prefix = format!("story-{story}-");
        let observed: Vec<_> = cases().into_iter().filter(|(name, ..)| name.starts_with(&prefix)).collect();
        assert_eq!(observed.len(), turns, "{story}");
        for (place, (name, call, _)) in observed.iter().enumerate() {
            let ledger: Value = serde_json::from_slice(call).unwrap();
            assert_eq!(ledger["turns"].as_array().map(Vec::len), Some(place + 1), "{name}");
        }
        let last = observed.last().map(|(.., answer)| answer["stop_report"]["stop_reason"].clone());
        assert_eq!(last, Some(end.into()), "{story}");
    }
}
