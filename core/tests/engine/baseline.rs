//! Laws of baselines, over random evidence.

use adjudicate_core::{
    Operation, Policy,
    evaluate::{CompositionMode, evaluate_composed},
};
use proptest::{
    collection::vec, option, prelude::*, sample::select, strategy::ValueTree as _, test_runner::TestRunner,
};
use serde_json::{Value, json};

/// This many random values of a strategy, the same in each run.
fn samples<T: std::fmt::Debug>(count: usize, strategy: impl Strategy<Value = T>) -> impl Iterator<Item = T> {
    let mut runner = TestRunner::deterministic();
    std::iter::repeat_with(move || strategy.new_tree(&mut runner).unwrap().current()).take(count)
}

fn case() -> impl Strategy<Value = Value> {
    let id = select(vec!["a", "b", "tests/a.py::x"]);
    let status = select(vec!["passed", "failed", "failed", "skipped", "flaky"]);
    let file = option::weighted(0.3, select(vec!["tests/a.py", "tests/b.py"]));
    (id, status, option::of(select(vec!["unit", "lint"])), file, option::of(Just("run it"))).prop_map(
        |(id, status, validator, file, repro)| {
            let mut case = json!({"id": id, "status": status});
            let further = [("validator", validator), ("file", file), ("repro", repro)];
            for (name, value) in further.into_iter().filter_map(|(name, value)| Some((name, value?))) {
                case[name] = value.into();
            }
            case
        },
    )
}

fn envelopes() -> impl Strategy<Value = Value> {
    let exits = || {
        let codes = (select(vec![0, 1, 2]), option::weighted(0.3, select(vec![0, 1])));
        codes.prop_map(|(unit, lint)| match lint {
            Some(lint) => json!({"unit": unit, "lint": lint}),
            None => json!({"unit": unit}),
        })
    };
    let diff = select(vec!["", " M src/a.py\n", "R  tests/a.py -> tests/b.py\n", " D tests/a.py\n"]);
    let artifacts = select(vec![json!(["unit.log", "lint.log"]), json!([])]);
    let claims = option::of(Just(json!(["tests_passed"])));
    let trees = option::weighted(0.3, select(vec!["now", "before"]));
    let further = (artifacts, claims, trees, prop::bool::weighted(0.3), prop::bool::weighted(0.1));
    (exits(), exits(), vec(case(), 0..4), vec(case(), 0..4), diff, further).prop_map(
        |(now, before, reported, listed, diff, (artifacts, claims, tree, is_same, is_cut))| {
            let count = |status: &str| reported.iter().filter(|case| case["status"] == status).count();
            let baseline = match is_same {
                true => json!({"exit_codes": now, "cases": reported}),
                false => json!({"exit_codes": before, "cases": listed}),
            };
            let mut evidence = json!({
                "transcript_summary": "", "workspace_diff_summary": diff, "artifacts": artifacts, "policy_events": [],
                "validation": {"mechanical_outcome": "completed", "exit_codes": now, "timeouts": []},
                "harness_report": {"cases": reported,
                    "summary": {"passed": count("passed"), "failed": count("failed") + usize::from(is_cut)}},
                "baseline": baseline,
            });
            if let Some(claims) = claims {
                evidence["claims"] = claims;
            }
            if let Some(tree) = tree {
                evidence["tree"] = "now".into();
                evidence["baseline"]["tree"] = tree.into();
            }
            json!({"run_id": "r", "workflow_id": "w", "step_id": "judge", "evaluate_prompt": "p.v1",
                "allowed_next_steps": ["ship", "fix", "ask_human", "rollback", "STOP"], "provenance_window": [],
                "evidence": evidence})
        },
    )
}

fn policy(known_failures: &str) -> Value {
    json!({"policy": "p", "version": "1.0.0", "known_failures": known_failures})
}

fn evaluate(envelope: &Value, known_failures: &str) -> Value {
    let call = json!({"envelope": envelope, "policy": policy(known_failures)}).to_string();
    serde_json::from_str(&Operation::Evaluate.call(call.as_bytes()).unwrap()).unwrap()
}

fn status(answer: &Value) -> &str {
    answer["decision"]["status"].as_str().unwrap()
}

/// The ids of the cases of a status, and how often each occurs.
fn ids(cases: &Value, status: &str) -> Vec<String> {
    let of_status = cases.as_array().unwrap().iter().filter(|case| case["status"] == status);
    let mut ids: Vec<String> =
        of_status.map(|case| format!("{} {}", case["validator"], case["id"])).collect();
    ids.sort();
    ids
}

#[test]
fn what_is_accepted_is_listed_and_hides_nothing() {
    let (mut accepted, mut refused) = (0, 0);
    for envelope in samples(10_000, envelopes()) {
        let [strict, lenient] = ["refuse", "accept"].map(|word| evaluate(&envelope, word));
        assert!(strict.get("known_failures").is_none(), "{envelope}");
        assert!(!(status(&strict) == "partial" && status(&lenient) == "blocked"), "{envelope}");
        if status(&strict) == "success" {
            assert_eq!(strict, lenient, "{envelope}");
        } else if status(&lenient) == "success" {
            accepted += 1;
            let evidence = &envelope["evidence"];
            let listed = lenient["known_failures"].as_array().unwrap().len();
            let failed = ids(&evidence["harness_report"]["cases"], "failed");
            assert_eq!(listed, failed.len(), "{envelope}");
            let mut before = ids(&evidence["baseline"]["cases"], "failed");
            if !envelope.to_string().contains("->") {
                for id in failed {
                    let place = before.iter().position(|other| *other == id);
                    before.remove(place.unwrap_or_else(|| panic!("{id} is new: {envelope}")));
                }
            }
            let exits = evidence["validation"]["exit_codes"].as_object().unwrap();
            let is_green = !ids(&evidence["harness_report"]["cases"], "passed").is_empty()
                || exits.values().any(|exit| *exit == 0);
            assert!(is_green, "{envelope}");
        } else {
            refused += 1;
        }
    }
    assert!(accepted > 100 && refused > 1_000, "{accepted} {refused}");
}

#[test]
fn a_baseline_never_helps_unless_a_policy_accepts_known_failures() {
    for with in samples(3_000, envelopes()) {
        let mut without = with.clone();
        without["evidence"].as_object_mut().unwrap().remove("baseline");
        let [with_status, without_status] =
            [&with, &without].map(|envelope| status(&evaluate(envelope, "refuse")).to_owned());
        assert!(with_status != "success" || without_status == "success", "{with}");
    }
}

#[test]
fn a_case_that_did_not_fail_never_helps_in_a_baseline() {
    let harmless = case().prop_filter("it failed", |case| case["status"] != "failed");
    for (before, case) in samples(3_000, (envelopes(), harmless)) {
        let mut after = before.clone();
        after["evidence"]["baseline"]["cases"].as_array_mut().unwrap().push(case);
        for word in ["refuse", "accept"] {
            let [before, after] =
                [&before, &after].map(|envelope| status(&evaluate(envelope, word)).to_owned());
            assert!(after != "success" || before == "success", "{word}");
        }
    }
}

#[test]
fn a_restriction_accepts_nothing() {
    let compiled = |word: &str| Policy::parse(policy(word).to_string().as_bytes()).unwrap();
    let (base, restriction) = (compiled("refuse"), compiled("accept"));
    for envelope in samples(1_000, envelopes()) {
        let text = envelope.to_string();
        let composed = evaluate_composed(text.as_bytes(), &base, &[&restriction], CompositionMode::Restrict);
        let composed: Value = serde_json::from_str(&composed.unwrap()).unwrap();
        let alone = evaluate(&envelope, "refuse");
        assert!(status(&composed) != "success" || status(&alone) == "success", "{envelope}");
    }
}
