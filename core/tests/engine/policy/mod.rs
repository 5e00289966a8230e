//! Policies with rules of their own, from outside: the laws that rules obey, over random envelopes and rules, and their cost.

mod bounds;
mod composition;
mod inputs;
mod laws;

use adjudicate_core::Operation;
use proptest::{collection::vec, option, prelude::*, sample::select};
use serde_json::{Value, json};

use crate::call;

/// The answer to an envelope under a policy, or the error.
fn answer(envelope: &Value, policy: &Value) -> Result<Value, Value> {
    call(Operation::Evaluate, envelope, policy)
}

/// A policy of some rules.
fn policy(rules: &[Value]) -> Value {
    json!({"policy": "laws", "version": "1.0.0", "profile": "oa06.1", "rules": rules})
}

/// An envelope: what changed, how checks ended, what was before.
pub(crate) fn envelopes() -> impl Strategy<Value = Value> {
    let diff = select(vec!["", " M src/a.rs\n", " M src/a.rs\n?? infra/b.tf\n", "changed a few things"]);
    let transcript = select(vec!["", "intent: fix\nclaims: fixed", "claims: tests_passed"]);
    let exits = select(vec![json!({}), json!({"test": 0}), json!({"test": 1, "lint": 0})]);
    let outcome = select(vec!["completed", "error", "killed_timeout"]);
    let artifacts = select(vec![json!([]), json!(["logs/test.log"])]);
    let review =
        option::of(select(vec![json!([]), json!([{"id": "r", "summary": "s", "severity": "high"}])]));
    let statuses = vec(select(vec!["partial", "blocked", "success"]), 0..3);
    (diff, transcript, exits, outcome, artifacts, review, statuses).prop_map(
        |(diff, transcript, exits, outcome, artifacts, review, statuses)| {
            let window: Vec<Value> = statuses
                .iter()
                .map(|status| {
                    json!({"step_id": "evaluate", "opcode": "EVALUATE", "status": status, "diff_summary": diff,
                        "risk_flags": [], "blocker_codes": ["house", "no_fix_path"]})
                })
                .collect();
            let mut envelope = json!({
                "run_id": "run-1", "workflow_id": "release", "step_id": "evaluate", "evaluate_prompt": "release.v1",
                "allowed_next_steps": ["publish", "fix", "gate", "rollback", "STOP"], "provenance_window": window,
                "evidence": {
                    "transcript_summary": transcript, "workspace_diff_summary": diff,
                    "validation": {"mechanical_outcome": outcome, "exit_codes": exits, "timeouts": []},
                    "artifacts": artifacts, "policy_events": []
                }
            });
            if let Some(issues) = review {
                envelope["evidence"]["review"] = json!({"artifact_ref": "review.md", "issues": issues});
            }
            envelope
        },
    )
}

/// A condition: some hold, some do not, some are unknown, and some meet a type that they do not take.
pub(crate) fn conditions() -> impl Strategy<Value = Value> {
    let leaf = select(vec![
        json!(true),
        json!(false),
        json!({"==": [{"var": "input.workflow_id"}, "release"]}),
        json!({"==": ["nightly", {"var": "input.workflow_id"}]}),
        json!({"===": [{"var": "facts.intent"}, "fix"]}),
        json!({"==": [{"var": "facts.history.last"}, "partial"]}),
        json!({"==": [{"var": ["facts.history.last", "blocked"]}, "blocked"]}),
        json!({"==": [{"var": "input.evidence.review.artifact_ref"}, "review.md"]}),
        json!({">": [{"var": "facts.diff.count"}, 1]}),
        json!({">": [{"var": "facts.review.high"}, 0]}),
        json!({"some": [{"var": "facts.diff.paths"}, {"glob": [{"var": ""}, "infra/**"]}]}),
        json!({"in": ["test", {"var": "facts.validators.failing"}]}),
        json!({"==": [{"missing": ["facts.intent", "input.refinement"]}, ["input.refinement"]]}),
        json!({">=": [{"var": "parameters.partial_threshold"}, 3]}),
        json!({"!": {"var": "facts.diff.empty"}}),
        json!({"<": [{"var": "input.run_id"}, 3]}),
        json!({"==": [{"var": {"cat": ["facts.", "outcome"]}}, "completed"]}),
    ]);
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 1..4).prop_map(|operands| json!({"and": operands})),
            vec(inner.clone(), 1..4).prop_map(|operands| json!({"or": operands})),
            inner.clone().prop_map(|operand| json!({"!": [operand]})),
            (inner.clone(), inner.clone(), inner).prop_map(|(a, b, c)| json!({"if": [a, b, c]})),
        ]
    })
}

/// Rules, each with an id of its own.
pub(crate) fn rules() -> impl Strategy<Value = Vec<Value>> {
    let blocker = option::of(select(vec!["low", "medium", "high"]));
    let flag = option::of(select(vec!["house", "other"]));
    let status = select(vec!["partial", "blocked", "needs_human", "unsafe"]);
    let on_unknown = select(vec!["escalate", "fire", "ignore"]);
    let mode = select(vec!["enforce", "enforce", "monitor"]);
    let rule = (conditions(), status, flag, blocker, any::<bool>(), on_unknown, mode);
    vec(rule, 0..6).prop_map(|rules| {
        let numbered = rules.into_iter().enumerate();
        numbered
            .map(|(index, (when, status, flag, blocker, fix, on_unknown, mode))| {
                let mut then = json!({"status": status, "summary": format!("rule {index}")});
                if let Some(flag) = flag {
                    then["flag"] = json!(flag);
                }
                if let Some(severity) = blocker {
                    then["blocker"] = json!({"code": "house", "severity": severity});
                }
                if fix {
                    then["fix"] = json!({"target": format!("t{}", index % 2), "action": "a", "rationale": "r"});
                }
                json!({"id": format!("rule-{index}"), "when": when, "then": then, "on_unknown": on_unknown, "mode": mode})
            })
            .collect()
    })
}
