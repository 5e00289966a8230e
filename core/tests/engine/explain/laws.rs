//! Laws of every explanation, over random envelopes and policies. Counterfactuals are minimal: a test tries every smaller set of the
//! documented changes, without the engine's search.

use adjudicate_core::{
    Operation, Policy, RuleCode,
    evaluate::{Envelope, Judged, decide, evaluate},
    explain::{check_explanation, explain_text},
    json::{self, ReadLimits},
};
use proptest::{
    prelude::*,
    strategy::ValueTree as _,
    test_runner::{Config, TestRunner},
};
use serde_json::{Value, json};

use super::{call, envelopes, explain, patched, policies, status};

/// The statuses, least severe first.
const STATUSES: [&str; 5] = ["success", "partial", "blocked", "needs_human", "unsafe"];

proptest! {
    #![proptest_config(Config { cases: 300, failure_persistence: None, ..Config::default() })]

    #[test]
    fn a_counterfactual_leads_to_success(envelope in envelopes(), policy in policies()) {
        let answer = explain(&envelope, &policy);
        let found = &answer["counterfactual"];
        prop_assert_eq!(found.is_null(), !answer["no_counterfactual"].is_null());
        if let Some(changes) = found["changes"].as_array() {
            let after = call(Operation::Evaluate, &patched(&envelope, changes), &policy).unwrap();
            prop_assert_eq!(&after["decision"]["status"], "success");
            prop_assert_eq!(&after["decision"]["next_step"], &found["next_step"]);
            prop_assert!(!changes.is_empty());
            for change in changes {
                let was = envelope.pointer(change["path"].as_str().unwrap());
                if change["op"] != "add" {
                    // Items are removed from the end on, so each path is also a path of the original envelope.
                    prop_assert_eq!(was, Some(&change["was"]));
                }
            }
        }
    }

    #[test]
    fn no_proper_part_of_a_counterfactual_is_enough(envelope in envelopes(), policy in policies()) {
        let answer = explain(&envelope, &policy);
        let Some(changes) = answer["counterfactual"]["changes"].as_array() else { return Ok(()) };
        prop_assume!(changes.len() <= 8);
        for part in 0..(1_usize << changes.len()) - 1 {
            let part: Vec<Value> = (0..changes.len()).filter(|bit| part >> bit & 1 == 1).map(|bit| changes[bit].clone()).collect();
            let is_enough = status(&patched(&envelope, &part), &policy).is_some_and(|status| status == "success");
            prop_assert!(!is_enough, "{:?}", part);
        }
    }

    #[test]
    fn the_evaluation_is_that_of_evaluate(envelope in envelopes(), policy in policies(), trace in any::<bool>()) {
        let input = json!({"envelope": envelope, "policy": policy}).to_string();
        let evaluation = Operation::Evaluate.call(input.as_bytes()).unwrap();
        let input = json!({"envelope": envelope, "policy": policy, "trace": trace}).to_string();
        let answer = Operation::Explain.call(input.as_bytes()).unwrap();
        let begun = format!(r#"{{"evaluation":{evaluation},"reasons":["#);
        prop_assert!(answer.starts_with(&begun), "{}", answer);
        prop_assert_eq!(Operation::Explain.call(input.as_bytes()).unwrap(), answer.clone());
        let [input, answer] = [&input, &answer].map(|text| json::read(text.as_bytes(), ReadLimits::DOCUMENT).unwrap());
        prop_assert_eq!(check_explanation(input.root(), answer.root()), Ok(()));
        prop_assert_eq!(Operation::Explain.check_answer(input.root(), answer.root()), Ok(()));
    }

    #[test]
    fn text_to_text_is_the_call(envelope in envelopes(), policy in policies(), trace in any::<bool>()) {
        let policy_text = policy.to_string();
        let compiled = (!policy.is_null()).then(|| Policy::parse(policy_text.as_bytes()).unwrap());
        let input = json!({"envelope": envelope, "policy": policy, "trace": trace}).to_string();
        let text = explain_text(envelope.to_string().as_bytes(), compiled.as_ref(), trace);
        prop_assert_eq!(text, Operation::Explain.call(input.as_bytes()));
    }

    #[test]
    fn a_reason_is_of_its_finding(envelope in envelopes(), policy in policies()) {
        let answer = explain(&envelope, &policy);
        let decided = rank(&answer["evaluation"]["decision"]["status"]);
        let (findings, reasons) = (answer["evaluation"]["findings"].as_array().unwrap(), answer["reasons"].as_array().unwrap());
        prop_assert_eq!(findings.len(), reasons.len());
        let mut lost = 0;
        for (finding, reason) in findings.iter().zip(reasons) {
            for member in ["rule", "status", "evidence_ref"] {
                prop_assert_eq!(&finding[member], &reason[member]);
            }
            for member in ["expected", "actual"] {
                prop_assert!(finding.get(member).is_none_or(|shown| *shown == reason[member]));
                prop_assert!(!reason[member].is_null());
            }
            let counts = finding.get("mode").is_none();
            prop_assert_eq!(reason["decisive"] == true, counts && rank(&finding["status"]) == decided);
            let is_overruled = counts && rank(&finding["status"]) < decided;
            prop_assert_eq!(reason.get("overruled_by").is_some(), is_overruled);
            lost += u64::from(is_overruled);
        }
        let overruled = answer["overruled"].as_array().unwrap();
        prop_assert_eq!(overruled.iter().map(|loser| loser["findings"].as_u64().unwrap()).sum::<u64>(), lost);
        for loser in overruled {
            prop_assert!(rank(&loser["status"]) < rank(&loser["by_status"]));
            prop_assert_eq!(rank(&loser["by_status"]), decided);
        }
    }

    #[test]
    fn the_trace_agrees_with_the_findings(envelope in envelopes(), policy in policies()) {
        let input = json!({"envelope": envelope, "policy": policy, "trace": true}).to_string();
        let answer: Value = serde_json::from_str(&Operation::Explain.call(input.as_bytes()).unwrap()).unwrap();
        let (trace, findings) = (&answer["trace"], answer["evaluation"]["findings"].as_array().unwrap());
        let rules = trace["rules"].as_array().unwrap();
        prop_assert_eq!(rules.len(), RuleCode::ALL.len() + policy["rules"].as_array().map_or(0, Vec::len));
        let mut found: Vec<u64> = Vec::new();
        for rule in rules {
            for at in rule["findings"].as_array().unwrap() {
                let at = at.as_u64().unwrap();
                prop_assert_eq!(&findings[usize::try_from(at).unwrap()]["rule"], &rule["rule"]);
                found.push(at);
            }
            let fired = rule["verdict"] == "fired";
            prop_assert_eq!(fired, !rule["findings"].as_array().unwrap().is_empty(), "{}", rule);
            let inputs = trace["inputs"].as_array().unwrap();
            for at in rule["inputs"].as_array().unwrap() {
                prop_assert!(usize::try_from(at.as_u64().unwrap()).unwrap() < inputs.len());
            }
        }
        found.sort_unstable();
        prop_assert_eq!(found, (0..findings.len() as u64).collect::<Vec<_>>());
        let names: std::collections::BTreeSet<&str> = trace["inputs"].as_array().unwrap().iter().map(|input| input["variable"].as_str().unwrap()).collect();
        prop_assert_eq!(names.len(), trace["inputs"].as_array().unwrap().len());
    }

    #[test]
    fn a_decision_is_the_same_without_its_reasons(envelope in envelopes(), policy in policies()) {
        let (text, policy) = (envelope.to_string(), policy.to_string());
        let policy = (policy != "null").then(|| Policy::parse(policy.as_bytes()).unwrap());
        let tape = json::read(text.as_bytes(), ReadLimits::DOCUMENT).unwrap();
        let envelope = Envelope::from_tape(&tape).unwrap();
        let facts = Judged::new(&envelope, policy.as_ref()).unwrap();
        prop_assert_eq!(decide(&facts), evaluate(&facts).decision);
    }
}

/// Most of the laws hold trivially where there is nothing to explain.
#[test]
fn enough_random_envelopes_have_a_counterfactual() {
    let mut runner = TestRunner::deterministic();
    let mut reasons = std::collections::BTreeMap::<String, u32>::new();
    for _ in 0..300 {
        let (envelope, policy) = (envelopes(), policies()).new_tree(&mut runner).unwrap().current();
        let answer = explain(&envelope, &policy);
        let reason = answer["no_counterfactual"]["reason"].as_str().unwrap_or("found");
        *reasons.entry(reason.into()).or_default() += 1;
    }
    assert!(reasons["found"] > 100 && reasons["needs_human"] > 10 && reasons["terminal"] > 10, "{reasons:?}");
    assert!(!reasons.contains_key("unfinished"), "{reasons:?}");
}

fn rank(status: &Value) -> usize {
    STATUSES.iter().position(|known| status == known).unwrap()
}

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
