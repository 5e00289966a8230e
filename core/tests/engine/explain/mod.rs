//! Explanations, from outside: the counterfactuals of the corpus, random envelopes with many findings at once, and the laws that every
//! answer obeys.

mod bounds;
mod laws;
mod neighbours;
mod policies;
mod teams;

use std::collections::BTreeSet;

use adjudicate_core::{Operation, RuleCode};
use adjudicate_tests::parity::{expected, is_error, read_of};
use proptest::{
    collection::vec,
    option,
    prelude::*,
    sample::{select, subsequence},
};
use serde_json::{Value, json};

use crate::call;

fn explain(envelope: &Value, policy: &Value) -> Value {
    call(Operation::Explain, envelope, policy).unwrap()
}

/// The status that an envelope is evaluated to; none where there is no answer.
fn status(envelope: &Value, policy: &Value) -> Option<String> {
    let answer = call(Operation::Evaluate, envelope, policy).ok()?;
    Some(answer["decision"]["status"].as_str().unwrap().into())
}

/// An envelope without findings, with some fields of its evidence and of its own changed.
fn envelope(evidence: &Value, own: &Value) -> Value {
    let envelope = adjudicate_tests::envelope! {
        steps: r#"["publish","fix","gate","rollback","STOP"]"#,
        diff: r#"" M src/lib.rs\n""#,
        exit_codes: r#"{"unit":0}"#,
    };
    let mut envelope: Value = serde_json::from_str(envelope).unwrap();
    envelope["workflow_id"] = "release".into();
    for (into, from) in [("/evidence", evidence), ("", own)] {
        let members = envelope.pointer_mut(into).unwrap().as_object_mut().unwrap();
        for (name, value) in from.as_object().unwrap() {
            match (members.get_mut(name), value) {
                (Some(Value::Object(known)), Value::Object(other)) => known.extend(other.clone()),
                _ => drop(members.insert(name.clone(), value.clone())),
            }
        }
    }
    envelope
}

/// The envelope with the changes made in their order. A place beyond the end of a list is its end: for sets of changes
/// of which some are left out.
pub(crate) fn patched(envelope: &Value, changes: &[Value]) -> Value {
    let mut envelope = envelope.clone();
    for change in changes {
        let path = change["path"].as_str().unwrap();
        let (parent, name) = path.rsplit_once('/').unwrap();
        let name = name.replace("~1", "/").replace("~0", "~");
        match (change["op"].as_str().unwrap(), envelope.pointer_mut(parent)) {
            ("add" | "replace", Some(Value::Object(members))) => {
                members.insert(name, change["value"].clone());
            }
            ("remove", Some(Value::Object(members))) => drop(members.remove(&name)),
            ("add", Some(Value::Array(items))) => {
                items.insert(name.parse::<usize>().unwrap().min(items.len()), change["value"].clone());
            }
            ("replace", Some(Value::Array(items))) => {
                items[name.parse::<usize>().unwrap()] = change["value"].clone()
            }
            ("remove", Some(Value::Array(items))) => drop(items.remove(name.parse().unwrap())),
            (op, place) => panic!("`{op}` at {path}: {place:?}"),
        }
    }
    envelope
}

#[test]
fn the_counterfactuals_of_the_corpus_lead_to_success() {
    let (mut found, mut denied) = (BTreeSet::new(), BTreeSet::new());
    for fixture in read_of(Operation::Explain).iter().filter(|fixture| !is_error(expected(fixture))) {
        let mut asked: Value = serde_json::from_slice(&fixture.call).unwrap();
        let answer: Value = serde_json::from_str(expected(fixture)).unwrap();
        let rules = answer["reasons"].as_array().unwrap().iter().map(|reason| &reason["rule"]);
        let rules = rules.filter_map(|rule| Some(rule.as_str()?.to_owned()));
        let Some(changes) = answer["counterfactual"]["changes"].as_array() else {
            assert!(answer["no_counterfactual"]["reason"].is_string(), "{}", fixture.name);
            denied.extend(rules);
            continue;
        };
        found.extend(rules);
        let policy = asked.as_object_mut().unwrap().remove("policy").unwrap_or_default();
        let envelope = if asked["envelope"].is_null() { asked } else { asked["envelope"].take() };
        let after = call(Operation::Evaluate, &patched(&envelope, changes), &policy).unwrap();
        assert_eq!(after["decision"]["status"], "success", "{}", fixture.name);
        assert_eq!(after["decision"]["next_step"], answer["counterfactual"]["next_step"], "{}", fixture.name);
    }
    // Only a human, or another run, resolves these.
    let never = ["policy_violation", "error_but_changed", "goldens", "approval"];
    for rule in RuleCode::ALL.iter().map(|code| code.row().name) {
        let cases = if never.contains(&rule) { &denied } else { &found };
        assert!(cases.contains(rule), "no case of `{rule}`");
    }
    assert!(never.iter().all(|rule| !found.contains(*rule)), "{found:?}");
}

/// A random envelope: results of checks, changes, claims, required and present artifacts, and the history.
pub(crate) fn envelopes() -> impl Strategy<Value = Value> {
    let exits = vec((select(vec!["unit", "lint"]), select(vec![0, 1])), 0..3);
    let timeouts = vec(select(vec!["unit", "e2e"]), 0..2);
    let outcome = select(vec!["completed", "completed", "error", "killed_timeout"]);
    let diff = select(vec!["", " M src/a.rs\n", " M src/a.rs\n?? infra/b.tf\n", "a few things"]);
    let claims =
        option::of(subsequence(vec!["implemented", "fixed", "tests_passed", "no_change_needed"], 0..3));
    let intent = option::of(select(vec!["fix", "review"]));
    let artifacts =
        (subsequence(vec!["logs/*", "logs/unit.txt", "r.md"], 0..3), subsequence(vec!["unit.log"], 0..2));
    let severities = vec(select(vec!["low", "medium", "high"]), 0..3);
    let cases = option::of(vec(select(vec!["passed", "failed", "skipped"]), 0..3));
    let human = select(vec![
        json!({}),
        json!({}),
        json!({}),
        json!({"approvals": {"required": ["x"], "granted": []}}),
        json!({"policy_events": ["network_violation"]}),
    ]);
    let history = vec(select(vec!["partial", "blocked", "success"]), 0..3);
    let score = option::of(0..4);
    let checks = (exits, timeouts, outcome, cases);
    let work = (diff, claims, intent, artifacts);
    (checks, work, severities, human, history, score).prop_map(
        |(
            (exits, timeouts, outcome, cases),
            (diff, claims, intent, (required, artifacts)),
            severities,
            human,
            history,
            score,
        )| {
            let exits: serde_json::Map<String, Value> =
                exits.into_iter().map(|(id, exit)| (id.into(), json!(exit))).collect();
            let mut evidence = json!({
                "validation": {"mechanical_outcome": outcome, "exit_codes": exits, "timeouts": timeouts},
                "workspace_diff_summary": diff, "required_artifacts": required, "artifacts": artifacts,
            });
            let members = evidence.as_object_mut().unwrap();
            members.extend(human.as_object().unwrap().clone());
            members.extend(claims.map(|claims| ("claims".into(), json!(claims))));
            members.extend(intent.map(|intent| ("step_intent".into(), json!(intent))));
            members.extend(score.map(|score| ("x-score".into(), json!(score))));
            if !severities.is_empty() {
                let issues: Vec<Value> = severities
                    .iter()
                    .map(|severity| json!({"id": "i", "summary": "s", "severity": severity}))
                    .collect();
                members.insert("review".into(), json!({"artifact_ref": "r.md", "issues": issues}));
            }
            if let Some(cases) = cases {
                let failed = cases.iter().filter(|status| **status == "failed").count();
                let cases: Vec<Value> = cases
                    .iter()
                    .enumerate()
                    .map(|(place, status)| json!({"id": format!("c{place}"), "status": status}))
                    .collect();
                // The count of those that passed is right only sometimes.
                members.insert(
                    "harness_report".into(),
                    json!({"suite_id": "s", "cases": cases, "summary": {"passed": 1, "failed": failed}}),
                );
            }
            let history: Vec<Value> = history
                .iter()
                .map(|status| {
                    json!({"step_id": "judge", "opcode": "EVALUATE", "status": status,
                "diff_summary": diff, "risk_flags": [], "blocker_codes": ["no_fix_path"]})
                })
                .collect();
            let mut envelope = envelope(&json!({}), &json!({"evaluate_history": history}));
            envelope["evidence"].as_object_mut().unwrap().extend(evidence.as_object().unwrap().clone());
            envelope
        },
    )
}

/// A policy, or none.
pub(crate) fn policies() -> impl Strategy<Value = Value> {
    let condition = select(vec![
        json!({"<": [{"var": "input.evidence.x-score"}, 2]}),
        json!({">": [{"var": "input.evidence.x-score"}, 2]}),
        json!({">": [{"var": "facts.failures"}, 1]}),
        json!({"some": [{"var": "facts.diff.paths"}, {"glob": [{"var": ""}, "infra/**"]}]}),
        json!({"!": {"in": ["audit", {"var": "facts.validators.passing"}]}}),
        json!({"in": ["implemented", {"var": "facts.claims"}]}),
        json!({"and": [{"==": [{"var": "facts.intent"}, "fix"]}, {"var": "facts.diff.empty"}]}),
        json!({"or": [{">": [{"var": "facts.review.high"}, 0]}, {"==": [{"var": "facts.outcome"}, "error"]}]}),
        json!({"==": [{"var": "facts.history.last"}, "blocked"]}),
    ]);
    let status = select(vec!["partial", "blocked", "needs_human", "unsafe"]);
    let on_unknown = select(vec!["escalate", "fire", "ignore"]);
    let mode = select(vec!["enforce", "enforce", "monitor"]);
    let rules = vec((condition, status, on_unknown, mode), 0..3);
    let forbidden = option::of(select(vec![json!(["infra/**"]), json!(["secrets/**"])]));
    let policy = (rules, forbidden, select(vec!["oa06", "oa06.1"])).prop_map(|(rules, forbidden, profile)| {
        let rules: Vec<Value> = rules.into_iter().enumerate().map(|(place, (when, status, on_unknown, mode))| {
            json!({"id": format!("r{place}"), "when": when, "then": {"status": status, "summary": "s"}, "on_unknown": on_unknown, "mode": mode})
        }).collect();
        json!({"policy": "p", "version": "1.0.0", "profile": profile, "rules": rules, "forbidden_paths": forbidden.unwrap_or(json!([]))})
    });
    option::of(policy).prop_map(|policy| policy.unwrap_or(Value::Null))
}
