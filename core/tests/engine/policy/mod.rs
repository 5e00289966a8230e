//! Policies with rules of their own, from outside: the laws that rules obey, and what they cost.

mod bounds;
mod composition;
mod inputs;
mod laws;
mod random;

use adjudicate_core::Operation;
use serde_json::{Value, json};

/// The answer to an envelope under a policy, or the error.
fn answer(envelope: &Value, policy: &Value) -> Result<Value, Value> {
    let call = json!({"envelope": envelope, "policy": policy}).to_string();
    match Operation::Evaluate.call(call.as_bytes()) {
        Ok(answer) => Ok(serde_json::from_str(&answer).unwrap()),
        Err(error) => Err(serde_json::from_str(&error.to_json()).unwrap()),
    }
}

/// A policy of some rules.
fn policy(rules: &[Value]) -> Value {
    json!({"policy": "laws", "version": "1.0.0", "profile": "oa06.1", "rules": rules})
}
