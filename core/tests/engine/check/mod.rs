//! Static checks of policies, from outside: what each code is found for and what not, and that every witness shows what
//! its finding says.

mod atoms;
mod bounds;
mod laws;
mod needs;
mod rules;
mod tables;
mod types;

use adjudicate_core::{
    Operation, Policy,
    check::{CheckFinding, check_policy},
};
use serde_json::{Value, json};

/// A rule that calls for something.
fn rule(id: &str, status: &str, when: Value) -> Value {
    json!({"id": id, "when": when, "then": {"status": status, "summary": id}})
}

/// A policy of some rules.
fn policy(rules: &[Value]) -> Value {
    json!({"policy": "checked", "version": "1.0.0", "rules": rules})
}

/// The findings about a policy.
fn check(policy: &Value) -> Vec<CheckFinding> {
    check_policy(&Policy::parse(policy.to_string().as_bytes()).unwrap())
}

/// The codes of what is found, each with its path.
fn found(policy: &Value) -> Vec<(String, String)> {
    check(policy).into_iter().map(|finding| (finding.code.as_str().into(), finding.path)).collect()
}

/// The answer to an envelope under a policy, or the error.
fn answer(envelope: &str, policy: &Value) -> Result<Value, Value> {
    let call = format!(r#"{{"envelope":{envelope},"policy":{policy}}}"#);
    match Operation::Evaluate.call(call.as_bytes()) {
        Ok(answer) => Ok(serde_json::from_str(&answer).unwrap()),
        Err(error) => Err(serde_json::from_str(&error.to_json()).unwrap()),
    }
}

/// The names of the rules that find something in an answer.
fn rules_of(answer: &Value) -> Vec<&str> {
    let findings = answer["findings"].as_array().unwrap();
    findings.iter().map(|finding| finding["rule"].as_str().unwrap()).collect()
}
