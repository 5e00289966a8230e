//! PlanIR: the words of the corpus, laws on random plans, and hostile plans. A model that follows every chain of steps holds the counts
//! about a plan.

mod corpus;
mod hostile;
mod laws;
mod random;

use std::collections::BTreeSet;

use adjudicate_core::{
    Error,
    ir::{normalize_text, replay::verify_replay_text},
    json::{self, ReadLimits},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use self::random::{planir, source};

/// The answer to a call.
fn answer(call: &str) -> Result<String, Error> {
    json::read(call.as_bytes(), ReadLimits::DOCUMENT).and_then(|tape| normalize_text(tape.root()))
}

/// The answer to a call that has one.
#[expect(clippy::panic, clippy::unwrap_used, reason = "an answer is JSON")]
fn answered(call: &str) -> Value {
    match answer(call) {
        Ok(answer) => serde_json::from_str(&answer).unwrap(),
        Err(error) => panic!("{error} for {call}"),
    }
}

/// The answer for a plan.
fn normalized(plan: &Value) -> Value {
    answered(&serde_json::json!({ "plan": plan }).to_string())
}

/// The error of a call, as `code path`.
#[expect(clippy::panic, reason = "only calls that have no answer come here")]
fn fault(call: &str) -> String {
    match answer(call) {
        Ok(answer) => panic!("{call} is answered: {answer}"),
        Err(error) => format!("{} {}", error.code(), error.path()),
    }
}

/// The steps that a step depends on, directly or through others, and the length of its longest chain.
#[expect(clippy::unwrap_used, reason = "plans in canonical form have these members")]
fn behind(steps: &[Value], step: &Value) -> (BTreeSet<String>, u64) {
    let (mut all, mut longest) = (BTreeSet::new(), 0);
    for id in step["depends_on"].as_array().unwrap() {
        let on = steps.iter().find(|on| on["id"] == *id).unwrap();
        let (behind, length) = behind(steps, on);
        all.extend(behind);
        all.insert(id.as_str().unwrap().to_owned());
        longest = longest.max(length);
    }
    (all, longest + 1)
}

/// The counts of a plan in canonical form by docs/reference/planir.md.
#[expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "plans in canonical form have these members"
)]
fn model(plan: &Value) -> Value {
    let steps = plan["steps"].as_array().unwrap();
    let chains: Vec<_> = steps.iter().map(|step| behind(steps, step)).collect();
    let is_verify = |step: &Value| step["intent"] == "verify";
    let verified: BTreeSet<&String> =
        steps.iter().zip(&chains).filter(|(step, _)| is_verify(step)).flat_map(|(_, (all, _))| all).collect();
    let is_alone = |step: &&Value| {
        let is_named =
            |other: &Value| other["depends_on"].as_array().is_some_and(|list| list.contains(&step["id"]));
        step["depends_on"] == json!([]) && !steps.iter().any(is_named)
    };
    let orphans = if steps.len() > 1 { steps.iter().filter(is_alone).count() } else { 0 };
    let files: BTreeSet<&str> = steps
        .iter()
        .flat_map(|step| step["target_files"].as_array().unwrap())
        .filter_map(Value::as_str)
        .collect();
    json!({
        "steps": steps.len(),
        "verified_steps": verified.len(),
        "orphan_steps": orphans,
        "longest_path": chains.iter().map(|(_, length)| *length).max().unwrap_or(0),
        "files": files.len(),
        "has_verification": steps.iter().any(is_verify) || plan["verification_strategy"]["commands"] != json!([]),
        "confidence": plan["confidence"],
    })
}

proptest! {
    #[test]
    fn counts_are_those_of_the_model(plan in prop_oneof![planir(false), source()]) {
        let answer = normalized(&plan);
        prop_assert_eq!(&answer["quality"], &model(&answer["plan"]));
    }

    #[test]
    fn a_log_that_begins_with_plan_start_is_one_of_the_plan(source in source(), is_compat in any::<bool>()) {
        let mode = if is_compat { "serde_f32_compat" } else { "canonical" };
        let answer = answered(&json!({"plan": source, "hash_mode": mode}).to_string());
        let start = &answer["plan_start"];
        let expected = json!({"event": "PlanStart", "plan_hash": answer["plan_hash"],
            "step_count": answer["plan"]["steps"].as_array().unwrap().len()});
        prop_assert_eq!(start, &expected);
        let call = json!({"plan": answer["plan"], "events": [start]}).to_string();
        let report = verify_replay_text(json::read(call.as_bytes(), ReadLimits::DOCUMENT).unwrap().root()).unwrap();
        prop_assert!(report.starts_with(r#"{"linked":true,"findings":[],"#), "{}", report);
    }
}
