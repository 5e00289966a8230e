//! PlanIR: the words of the corpus, laws on random plans, and hostile plans.

mod corpus;
mod hostile;
mod laws;
mod quality;
mod random;

use adjudicate_core::{
    Error,
    ir::normalize_text,
    json::{self, ReadLimits},
};
use serde_json::Value;

/// The answer to a call.
fn answer(call: &str) -> Result<String, Error> {
    json::read(call.as_bytes(), ReadLimits::DOCUMENT).and_then(|tape| normalize_text(tape.root()))
}

/// The answer to a call that has one.
#[expect(clippy::panic, clippy::unwrap_used, reason = "an answer is JSON")]
fn answered(call: &str) -> Value {
    match answer(call) {
        Ok(answer) => serde_json::from_str(&answer).unwrap(),
        Err(error) => panic!("{error} for {call}"),
    }
}

/// The answer for a plan.
fn normalized(plan: &Value) -> Value {
    answered(&serde_json::json!({ "plan": plan }).to_string())
}

/// The error of a call, as `code path`.
#[expect(clippy::panic, reason = "only calls that have no answer come here")]
fn fault(call: &str) -> String {
    match answer(call) {
        Ok(answer) => panic!("{call} is answered: {answer}"),
        Err(error) => format!("{} {}", error.code(), error.path()),
    }
}
