//! Explanations, from outside: the counterfactuals of the corpus, and the laws that every answer obeys.

mod bounds;
mod laws;
mod minimal;
mod neighbours;
mod patch;
mod policies;
mod random;
mod rules;
mod teams;

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
