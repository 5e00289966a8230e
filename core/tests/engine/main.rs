//! The engine from outside: one binary, one folder a subject.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "the whole binary is tests: to panic is how they fail"
)]

mod baseline;
mod check;
mod corpus;
mod deliberate;
mod explain;
mod garbage;
mod guardrail;
mod ir;
mod open_envelope;
mod paths;
mod plan;
mod policy;
mod replay;
mod trees;

use adjudicate_core::Operation;
use serde_json::{Value, json};

/// The answer of an operation to an envelope under a policy, or the error.
fn call(operation: Operation, envelope: &Value, policy: &Value) -> Result<Value, Value> {
    let call = json!({"envelope": envelope, "policy": policy}).to_string();
    match operation.call(call.as_bytes()) {
        Ok(answer) => Ok(serde_json::from_str(&answer).unwrap()),
        Err(error) => Err(serde_json::from_str(&error.to_json()).unwrap()),
    }
}
