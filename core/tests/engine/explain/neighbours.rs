//! The effect of single changes: tries every change of one field. If one suffices, an explanation never denies it, and its changes
//! suffice.

use adjudicate_core::Operation;
use proptest::{collection::vec, prelude::*, sample::select, test_runner::Config};
use serde_json::{Value, json};

use super::{call, envelope, patched, status};

proptest! {
    #![proptest_config(Config { cases: 150, max_shrink_iters: 30, failure_persistence: None, ..Config::default() })]

    #[test]
    fn if_one_change_is_enough_the_answer_is_not_terminal(evidence in evidence(), rules in vec(rules(), 1..3)) {
        let envelope = with(&evidence);
        let rules: Vec<Value> = (0..).zip(rules).map(|(at, when): (usize, Value)| {
            json!({"id": format!("r{at}"), "when": when, "then": {"status": "blocked", "summary": "s"}})
        }).collect();
        let policy = json!({"policy": "p", "version": "1.0.0", "rules": rules});
        // An evaluation with a type error has no answer.
        let answer = call(Operation::Explain, &envelope, &policy);
        prop_assume!(answer.is_ok());
        let answer = answer.unwrap();
        let reason = answer["no_counterfactual"]["reason"].as_str().unwrap_or("found");
        // The search tries a fixed list (docs/reference/policies.md), so its failure does not exclude other changes.
        if !matches!(reason, "found" | "terminal") {
            return Ok(());
        }
        if let Some(changes) = answer["counterfactual"]["changes"].as_array() {
            let after = status(&patched(&envelope, changes), &policy);
            prop_assert_eq!(after.as_deref(), Some("success"));
            return Ok(());
        }
        for change in neighbours(&envelope) {
            let after = status(&patched(&envelope, std::slice::from_ref(&change)), &policy);
            prop_assert!(after.as_deref() != Some("success"), "{} is enough, and the answer is {} under {}", change, answer, policy);
        }
    }
}

fn with(evidence: &Value) -> Value {
    let mut envelope = envelope(&json!({}), &json!({}));
    envelope["evidence"].as_object_mut().unwrap().extend(evidence.as_object().unwrap().clone());
    envelope
}

fn evidence() -> impl Strategy<Value = Value> {
    let exits =
        select(vec![json!({}), json!({"unit": 0}), json!({"unit": 1}), json!({"unit": 0, "tests": 0})]);
    let claims = select(vec![Value::Null, json!([]), json!(["implemented"]), json!(["tests_passed"])]);
    let harness = select(vec![
        Value::Null,
        json!({"suite_id": "s", "cases": [], "summary": {"passed": 2, "failed": 0, "flaky": 2}}),
        json!({"suite_id": "s", "cases": [{"id": "a", "status": "passed"}, {"id": "b", "status": "skipped"}], "summary": {"passed": 1, "failed": 0}}),
    ]);
    let diff = select(vec!["", " M src/a.rs\n", " M src/a.rs\n M infra/b.tf\n"]);
    let typed = select(vec![
        Value::Null,
        Value::Null,
        json!({"files": [{"path": "src/a.rs", "change": "modified", "insertions": 9, "deletions": 1}]}),
    ]);
    let artifacts = select(vec![json!([]), json!(["a.log"])]);
    let own = select(vec![
        json!({}),
        json!({"x-n": 1}),
        json!({"x-n": 1, "x-m": 4}),
        json!({"x-n": "a"}),
        json!({"x-n": ["a"]}),
    ]);
    (exits, claims, harness, diff, typed, artifacts, own).prop_map(
        |(exits, claims, harness, diff, typed, artifacts, own)| {
            let mut evidence = json!({
                "validation": {"mechanical_outcome": "completed", "exit_codes": exits, "timeouts": []},
                "workspace_diff_summary": diff, "artifacts": artifacts,
            });
            let members = evidence.as_object_mut().unwrap();
            for (name, value) in [("claims", claims), ("harness_report", harness), ("diff", typed)] {
                if !value.is_null() {
                    members.insert(name.into(), value);
                }
            }
            members.extend(own.as_object().unwrap().clone());
            evidence
        },
    )
}

/// Conditions, of which some ask for more, some for less, some for a name.
fn rules() -> impl Strategy<Value = Value> {
    let counts = select(vec![
        json!({"var": "facts.validators.count"}),
        json!({"length": [{"var": "facts.validators.passing"}]}),
        json!({"length": [{"var": "input.evidence.validation.exit_codes"}]}),
        json!({"var": ["facts.harness.passed", 0]}),
        json!({"var": ["facts.harness.flaky", 0]}),
        json!({"length": [{"var": "input.evidence.artifacts"}]}),
        json!({"length": [{"var": ["facts.claims", []]}]}),
        json!({"var": "facts.diff.count"}),
        json!({"var": ["facts.diff.insertions", 0]}),
        json!({"var": ["input.evidence.x-n", 0]}),
        json!({"var": ["input.evidence.x-m", 3]}),
    ]);
    let comparison = (select(vec!["<", "<=", ">", ">=", "==", "!="]), counts.clone(), 0..4_u32)
        .prop_map(|(operator, count, number)| json!({operator: [count, number]}));
    let between = (select(vec!["<", ">", "=="]), counts.clone(), counts)
        .prop_map(|(operator, left, right)| json!({operator: [left, right]}));
    let lists = select(vec![
        json!({"var": "facts.validators.passing"}),
        json!({"var": "input.evidence.artifacts"}),
        json!({"var": "facts.diff.paths"}),
        json!({"var": ["facts.claims", []]}),
    ]);
    let tests = select(vec![
        json!({"==": [{"var": ""}, "audit"]}),
        json!({"glob": [{"var": ""}, "infra/**"]}),
        json!({"starts_with": [{"var": ""}, "z"]}),
        json!({"ends_with": [{"var": ""}, "q"]}),
        json!({"in": [{"var": ""}, ["tests_passed", "unit", "a.log"]]}),
    ]);
    let iteration = (select(vec!["some", "all", "none"]), lists, tests)
        .prop_map(|(operator, list, test)| json!({operator: [list, test]}));
    let one = prop_oneof![4 => comparison, 1 => between, 3 => iteration];
    let not = one.clone().prop_map(|condition| json!({"!": [condition]}));
    let both = (select(vec!["and", "or"]), one.clone(), one.clone())
        .prop_map(|(operator, left, right)| json!({operator: [left, right]}));
    prop_oneof![3 => one, 2 => not, 1 => both]
}

/// Changes of one field that another run could truthfully report. No observed evidence is removed.
fn neighbours(envelope: &Value) -> Vec<Value> {
    let evidence = &envelope["evidence"];
    let mut changes = Vec::new();
    let mut put = |path: &str, value: Value| {
        let op = if envelope.pointer(path).is_some() { "replace" } else { "add" };
        changes.push(json!({"op": op, "path": path, "value": value}));
    };
    for id in ["unit", "tests", "audit", "z", "q", "new"] {
        put(&format!("/evidence/validation/exit_codes/{id}"), json!(0));
    }
    let made: Vec<&Value> = evidence["claims"].as_array().into_iter().flatten().collect();
    put("/evidence/claims", json!([]));
    for claim in ["implemented", "fixed", "tests_passed", "no_change_needed"] {
        if !made.contains(&&json!(claim)) {
            let with = made.iter().copied().cloned().chain([json!(claim)]);
            put("/evidence/claims", with.collect());
        }
    }
    if evidence["harness_report"].is_null() {
        let case = json!({"id": "c", "status": "passed"});
        for count in 1..5 {
            put(
                "/evidence/harness_report",
                json!({"suite_id": "s", "cases": vec![case.clone(); count], "summary": {"passed": count, "failed": 0}}),
            );
        }
    } else if evidence["harness_report"]["cases"] == json!([]) {
        for count in 1..6 {
            put("/evidence/harness_report/summary/passed", json!(count.max(2)));
            put("/evidence/harness_report/summary/flaky", json!(2 - count.min(2)));
        }
    }
    if evidence["diff"].is_null() {
        for text in [
            "",
            " M src/a.rs\n",
            " M infra/b.tf\n",
            " M src/a.rs\n M infra/b.tf\n",
            " M src/a.rs\n M infra/b.tf\n M a\n",
            " M src/a.rs\n M audit\n",
            " M audit\n",
            " M src/a.rs\n M z\n",
            " M src/a.rs\n M q\n",
        ] {
            put("/evidence/workspace_diff_summary", json!(text));
        }
    } else {
        for count in 0..5 {
            put("/evidence/diff/files/0/insertions", json!(count));
        }
    }
    for value in [json!(0), json!(1), json!(2), json!(3), json!(4)] {
        for name in ["x-n", "x-m"] {
            put(&format!("/evidence/{name}"), value.clone());
        }
    }
    let artifacts = evidence["artifacts"].as_array().unwrap().len();
    for path in ["audit", "infra/a", "z", "q", "a.log", "new"] {
        if !evidence["artifacts"].as_array().unwrap().contains(&json!(path)) {
            put(&format!("/evidence/artifacts/{artifacts}"), json!(path));
        }
    }
    changes
}
