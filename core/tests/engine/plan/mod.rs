//! Plans: the codes of the corpus, suggestions that are followed, laws on random plans, models, and hostile plans.

mod advice_applied;
mod advice_ways;
mod corpus;
mod hostile;
mod hostile_sizes;
mod laws;
mod merge;
mod scores;
mod symbolic;
mod symbolic_laws;

use adjudicate_core::{
    codes,
    plan::{observe_text, validate_text},
};
use serde_json::{Value, json};

#[expect(clippy::unwrap_used, reason = "the tests make calls that have answers")]
pub(crate) fn validate(call: &Value) -> Value {
    serde_json::from_str(&validate_text(call.to_string().as_bytes()).unwrap()).unwrap()
}

/// All that is in the buckets of an answer, in order.
#[expect(clippy::indexing_slicing, reason = "a `Value` indexes to null")]
pub(crate) fn diagnostics(answer: &Value) -> Vec<&Value> {
    let buckets = ["failures", "warnings", "infos"].map(|bucket| &answer["payload"][bucket]);
    buckets.into_iter().filter_map(Value::as_array).flatten().collect()
}

/// Each diagnostic as `severity code subject`, the subject being the constraint, else the node.
#[expect(clippy::indexing_slicing, reason = "a `Value` indexes to null")]
pub(crate) fn findings(answer: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    diagnostics(answer)
        .into_iter()
        .map(|one| {
            let subject = text(&one["constraintId"]).or_else(|| text(&one["nodeId"]));
            let words = [text(&one["severity"]), text(&one["details"]["code"]), subject];
            words.into_iter().flatten().collect::<Vec<_>>().join(" ")
        })
        .collect()
}

/// All lines of suggestions, in order.
pub(crate) fn suggestions(answer: &Value) -> Vec<String> {
    let lines = |one: &&Value| one["suggestion"].as_str().unwrap_or_default().to_owned();
    diagnostics(answer)
        .iter()
        .flat_map(|one| lines(one).lines().map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

pub(crate) fn constraint(id: &str, level: &str, expr: Value) -> Value {
    json!({"constraintId": id, "expr": expr, "level": level})
}

#[test]
fn an_output_that_takes_too_much_work_has_no_answer() {
    let items: Vec<u32> = (0..30_000).collect();
    let body = json!([{"expr": {"all": [{"var": "n"}, {"in": [{"var": ""}, items]}]}, "level": "hard"}]);
    let call = json!({"outputContract": {"schema": true, "constraints": body}, "output": {"n": items}});
    let error = observe_text(call.to_string().as_bytes()).unwrap_err();
    assert_eq!(error.code(), codes::LIMIT_EXCEEDED);
}
