//! Counterfactuals are minimal: tries every smaller set of the documented changes, without the engine's search.

use proptest::{prelude::*, test_runner::Config};
use serde_json::{Value, json};

use crate::explain::{explain, patch::patched, random::envelopes, status};

/// A place of the envelope and what could be there instead: one change each.
type Place = Vec<Value>;

proptest! {
    #![proptest_config(Config { cases: 100, failure_persistence: None, ..Config::default() })]

    #[test]
    fn no_smaller_set_is_enough(envelope in envelopes(), with_rules in any::<bool>()) {
        let policy = if with_rules { policy() } else { Value::Null };
        let answer = explain(&envelope, &policy);
        let places = places(&envelope);
        let size = answer["counterfactual"]["changes"].as_array().map(Vec::len);
        // Without a counterfactual, there is no small one either.
        let reason = answer["no_counterfactual"]["reason"].as_str().unwrap_or("found");
        prop_assume!(reason != "success" && size.unwrap_or(2) <= 3);
        let most = size.map_or(1, |size| size - 1);
        if let Some(found) = smaller(&envelope, &policy, &places, most) {
            prop_assert!(false, "{} after {:?}, {:?}", answer, found, places);
        }
    }
}

fn policy() -> Value {
    let rule = |id: &str, when: Value| json!({"id": id, "when": when, "then": {"status": "blocked", "summary": "s"}});
    json!({"policy": "p", "version": "1.0.0", "rules": [
        rule("low", json!({"<": [{"var": ["input.evidence.x-score", 9]}, 2]})),
        rule("claim", json!({"and": [{"==": [{"var": ["input.evidence.x-score", 0]}, 3]}, {"in": ["fixed", {"var": ["facts.claims", []]}]}]})),
        rule("audit", json!({"and": [{">": [{"var": "facts.failures"}, 0]}, {"!": {"in": ["audit", {"var": "facts.validators.passing"}]}}]})),
    ]})
}

/// The first set of so many changes at most that comes to `success`.
fn smaller(envelope: &Value, policy: &Value, places: &[Place], most: usize) -> Option<Vec<Value>> {
    fn choose(
        envelope: &Value,
        policy: &Value,
        places: &[Place],
        left: usize,
        chosen: &mut Vec<Value>,
    ) -> bool {
        if status(&patched(envelope, chosen), policy).as_deref() == Some("success") {
            return true;
        }
        if left == 0 {
            return false;
        }
        for (at, place) in places.iter().enumerate() {
            for change in place {
                chosen.push(change.clone());
                if choose(envelope, policy, &places[at + 1..], left - 1, chosen) {
                    return true;
                }
                chosen.pop();
            }
        }
        false
    }
    let mut chosen = Vec::new();
    choose(envelope, policy, places, most, &mut chosen).then_some(chosen)
}

/// The documented changes. Removals from lists come last, from the end on.
fn places(envelope: &Value) -> Vec<Place> {
    let evidence = &envelope["evidence"];
    let put = |path: &str, value: Value| {
        let op = if envelope.pointer(path).is_some() { "replace" } else { "add" };
        json!({"op": op, "path": path, "value": value})
    };
    let mut places = vec![
        vec![put("/evidence/validation/mechanical_outcome", json!("completed"))],
        vec![
            put("/evidence/workspace_diff_summary", json!(" M changed-file\n")),
            put("/evidence/diff", json!({"files": [{"path": "changed-file", "change": "modified"}]})),
        ],
        claims(&evidence["claims"]).into_iter().map(|claims| put("/evidence/claims", claims)).collect(),
        (0..5).map(|score| put("/evidence/x-score", json!(score))).collect(),
    ];
    for id in ["unit", "lint", "e2e", "audit", "tests"] {
        places.push(vec![put(&format!("/evidence/validation/exit_codes/{id}"), json!(0))]);
    }
    if let Some(cases) = evidence["harness_report"]["cases"].as_array() {
        for (at, case) in cases.iter().enumerate().filter(|(_, case)| case["status"] == "failed") {
            assert!(case["repro"].is_null());
            places.push(vec![put(&format!("/evidence/harness_report/cases/{at}/status"), json!("passed"))]);
        }
        for count in ["passed", "failed"] {
            places.push(
                (0..4)
                    .map(|value| put(&format!("/evidence/harness_report/summary/{count}"), json!(value)))
                    .collect(),
            );
        }
    }
    let artifacts = evidence["artifacts"].as_array().unwrap().len();
    for path in ["logs/file", "logs/unit.txt", "r.md"] {
        places.push(vec![
            json!({"op": "add", "path": format!("/evidence/artifacts/{artifacts}"), "value": path}),
        ]);
    }
    for list in ["/evidence/review/issues", "/evidence/validation/timeouts"] {
        let items = envelope.pointer(list).and_then(Value::as_array).map_or(0, Vec::len);
        places
            .extend((0..items).rev().map(|at| vec![json!({"op": "remove", "path": format!("{list}/{at}")})]));
    }
    places
}

/// All lists of what may be claimed.
fn claims(made: &Value) -> Vec<Value> {
    let claimable: Vec<&Value> = made.as_array().into_iter().flatten().collect();
    let mut lists = Vec::new();
    for part in 0..1_usize << claimable.len() {
        let mut list: Vec<Value> = (0..claimable.len())
            .filter(|bit| part >> bit & 1 == 1)
            .map(|bit| claimable[bit].clone())
            .collect();
        lists.push(json!(list));
        list.push(json!("no_change_needed"));
        lists.push(json!(list));
    }
    lists
}
