//! Types of facts: `check` finds every operand that an operator rejects, and no others. The results of evaluating,
//! where all facts are known, decide which operands these are.

use adjudicate_core::{Policy, check::CheckCode, logic::Types, policy::Fact};
use serde_json::{Value, json};

use crate::check::{answer, check, policy, rule, rules_of};

/// An envelope in which every fact is known.
fn envelope() -> Value {
    let entry = json!({"step_id": "e", "opcode": "EVALUATE", "status": "partial", "diff_summary": "", "risk_flags": ["x"],
        "blocker_codes": [], "blockers": []});
    json!({
        "run_id": "r", "workflow_id": "w", "step_id": "e", "evaluate_prompt": "p.v1",
        "allowed_next_steps": ["publish", "fix", "gate", "rollback", "STOP"], "provenance_window": [],
        "evaluate_history": [entry], "refinement": {"cap": 3, "spent": 1},
        "evidence": {
            "transcript_summary": "", "workspace_diff_summary": "",
            "validation": {"mechanical_outcome": "completed", "exit_codes": {"unit": 0, "lint": 1}, "timeouts": ["slow"]},
            "artifacts": [], "policy_events": ["info:x", "warning", "network_violation"], "step_intent": "fix",
            "claims": ["fixed"], "required_artifacts": ["a.log"], "required_validators": ["build"],
            "diff": {"files": [{"path": "infra/a.tf", "change": "modified", "insertions": 1, "deletions": 1}]},
            "approvals": {"required": ["release"], "granted": ["x"]},
            "review": {"artifact_ref": "r", "issues": [{"id": "i", "summary": "s", "severity": "high"}]},
            "harness_report": {"suite_id": "s", "cases": [{"id": "c", "status": "failed"}, {"id": "d", "status": "flaky"}],
                "summary": {"passed": 0, "failed": 1, "flaky": 1}, "proposed_goldens": ["g"]},
            "baseline": {"exit_codes": {}, "cases": [{"id": "d", "status": "passed"}]}
        }
    })
}

/// A policy under which no list of paths is empty.
fn with_paths(rules: &[Value]) -> Value {
    let mut policy = policy(rules);
    policy["forbidden_paths"] = json!(["infra/**"]);
    policy["protected_paths"] = json!(["*.tf"]);
    policy
}

/// Conditions on a fact, with every operator and a literal of every type.
fn conditions(fact: &Value) -> Vec<Value> {
    let literals = [json!(1), json!("x"), json!(true), json!(null), json!([]), json!(["x"])];
    let mut conditions = vec![
        json!({"!": [fact]}),
        json!({"!!": [fact]}),
        json!({"and": [true, fact]}),
        json!({"or": [fact, true]}),
        json!({"if": [fact, true, true]}),
        json!({"?:": [fact, true, true]}),
        json!({"==": [{"-": [fact]}, 0]}),
        json!({"==": [{"length": [fact]}, 9]}),
        json!({"==": [{"map": [fact, {"var": ""}]}, 9]}),
        json!({"==": [{"filter": [fact, true]}, 9]}),
        json!({"==": [{"reduce": [fact, 1, 1]}, 9]}),
        json!({"==": [{"merge": [fact]}, 9]}),
        json!({"==": [{"log": [fact]}, 9]}),
        json!({"==": [{"substr": [fact, 1]}, 9]}),
    ];
    conditions.extend(["all", "none", "some"].map(|operator| json!({operator: [fact, true]})));
    for literal in &literals {
        let decide = ["==", "!=", "<", "<=", ">", ">=", "in", "starts_with", "ends_with", "glob", "regex"];
        for operator in decide {
            conditions.push(json!({operator: [fact, literal]}));
            conditions.push(json!({operator: [literal, fact]}));
        }
        conditions.push(json!({"between": [fact, literal, literal]}));
        conditions.push(json!({"between": [literal, fact, literal]}));
        conditions.push(json!({"<": [literal, fact, literal]}));
        for operator in ["+", "-", "*", "/", "%", "max", "min", "cat", "substr"] {
            conditions.push(json!({"==": [{operator: [fact, literal]}, 9]}));
            conditions.push(json!({"==": [{operator: [literal, fact]}, 9]}));
        }
    }
    conditions
}

fn one(when: &Value) -> Value {
    let mut rule = rule("it", "partial", when.clone());
    rule["on_unknown"] = json!("ignore");
    rule
}

/// Returns true if a comparison must be found impossible, because the types of literal and fact differ.
fn compares_other_types(fact: Fact, when: &Value) -> bool {
    let Some((operator, operands)) = when.as_object().and_then(|when| when.iter().next()) else {
        return false;
    };
    let operands = operands.as_array().unwrap();
    if !operands.contains(&json!({"var": fact.row().variable})) {
        return false;
    }
    let literal = operands.iter().find(|operand| !operand.is_object());
    let kind = match literal {
        Some(Value::Null) => Types::NULL,
        Some(Value::Bool(_)) => Types::BOOL,
        Some(Value::Number(_)) => Types::NUMBER,
        Some(Value::String(_)) => Types::TEXT,
        Some(Value::Array(_)) => Types::LIST,
        _ => return false,
    };
    ["==", "===", "!=", "!=="].contains(&&**operator) && !kind.meets(fact.row().gives)
}

#[test]
fn every_fact_is_known_in_the_envelope() {
    let names: Vec<&str> = Fact::ALL.iter().map(|fact| fact.row().variable).collect();
    let when = json!({"==": [{"missing": names}, []]});
    let answer = answer(&envelope().to_string(), &with_paths(&[one(&when)])).unwrap();
    assert!(rules_of(&answer).contains(&"it"), "{answer}");
}

#[test]
fn types_that_never_fit_are_found_at_load_or_by_checking() {
    let envelope = envelope().to_string();
    let (mut refused, mut failed) = (0, 0);
    for fact in Fact::ALL {
        let conditions = conditions(&json!({"var": fact.row().variable}));
        let loads = |when: &&Value| Policy::parse(with_paths(&[one(when)]).to_string().as_bytes()).is_ok();
        let loaded: Vec<&Value> = conditions.iter().filter(loads).collect();
        refused += conditions.len() - loaded.len();
        let rules: Vec<Value> = loaded
            .iter()
            .enumerate()
            .map(|(place, when)| {
                let mut rule = one(when);
                rule["id"] = json!(format!("{place}"));
                rule
            })
            .collect();
        let findings = check(&with_paths(&rules));
        for (place, when) in loaded.iter().enumerate() {
            let has = |code: CheckCode| {
                findings.iter().any(|one| one.code == code && one.rule.as_deref() == Some(&place.to_string()))
            };
            let outcome = answer(&envelope, &with_paths(&[one(when)]));
            // Dividing by what happens to be zero is no fault of types.
            let is_of_types = |error: &Value| {
                error["error"]["code"] == "invalid_expression"
                    && !error["error"]["message"].as_str().unwrap().ends_with("by zero")
            };
            let is_error = outcome.as_ref().is_err_and(is_of_types);
            failed += usize::from(is_error);
            assert_eq!(has(CheckCode::TypeError), is_error, "{when} {outcome:?}");
            if compares_other_types(*fact, when) {
                assert!(has(CheckCode::NeverEqual), "{when}");
            }
            if has(CheckCode::NeverEqual) {
                let fires = rules_of(outcome.as_ref().unwrap()).contains(&"it");
                let is_unequal = when.get("!=").or(when.get("!==")).is_some();
                assert_eq!(fires, is_unequal, "{when}");
            }
            if has(CheckCode::DeadRule) || has(CheckCode::ExcludedEvidence) {
                let fires = outcome.as_ref().is_ok_and(|answer| rules_of(answer).contains(&"it"));
                assert!(!fires, "{when}");
            }
        }
    }
    assert!(refused > 1_000 && failed > 1_000, "{refused} {failed}");
}
