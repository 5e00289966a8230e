//! Planning gates: the words of the corpus, the contract of answers, an independent model, laws and bounds.

mod bounds;
mod contract;
mod corpus;
mod laws;
mod model;

use adjudicate_core::{Error, deliberate::deliberate_text, json};
use serde_json::{Value, json};

/// The answer to a ledger.
fn answer(ledger: &[u8]) -> Result<String, Error> {
    let tape = json::read(ledger, json::ReadLimits::DOCUMENT)?;
    deliberate_text(tape.root())
}

/// The answer to a ledger, or the error, as a value.
fn answered(ledger: &Value) -> Value {
    let answer = answer(ledger.to_string().as_bytes()).unwrap_or_else(|error| error.to_json());
    serde_json::from_str(&answer).expect("an answer is JSON")
}

/// A turn in which all goes well.
fn turn(n: u64, confidence: f64, uncertainty: f64) -> Value {
    json!({
        "n": n, "confidence": confidence, "uncertainty": uncertainty,
        "consumed": {"subagent_calls": 1, "wall_time_ms": 20_000}, "files": [format!("part{n}.rs")],
        "synthesis": true,
    })
}

/// A session of three turns that goes well: nothing is due, and the gate is `continue`.
fn session() -> Value {
    let mut turns = [turn(1, 0.2, 0.9), turn(2, 0.4, 0.6), turn(3, 0.55, 0.4)];
    for (at, name, paper) in [
        (1, "exploration_plan", json!([{"tool": "grep", "action": "look"}])),
        (1, "budget_allocation", json!({"max_iterations": 1})),
        (2, "novelty_check", json!({"new_information": true})),
    ] {
        if let Some(turn) = turns.get_mut(at) {
            turn[name] = paper;
        }
    }
    json!({"goal": "g", "constraints": ["c"], "initial_evidence": ["e"], "turns": turns})
}

/// Puts a value where a pointer says, or takes one away; a list grows at its end.
fn put(document: &mut Value, pointer: &str, value: Option<Value>) {
    let (parent, name) = pointer.rsplit_once('/').unwrap_or_default();
    match (document.pointer_mut(parent), value) {
        (Some(Value::Object(object)), Some(value)) => {
            object.insert(name.to_owned(), value);
        }
        (Some(Value::Object(object)), None) => {
            object.remove(name);
        }
        (Some(Value::Array(list)), Some(value)) => {
            match name.parse().ok().and_then(|at: usize| list.get_mut(at)) {
                Some(item) => *item = value,
                None => list.push(value),
            }
        }
        _ => {}
    }
}

/// The words of a list, or what a pointer leads to in each item of it.
fn words(list: &Value, pointer: &str) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items.filter_map(|item| Some(item.pointer(pointer)?.as_str()?.to_owned())).collect()
}
