//! The cases of the corpus: every event, action and reason is in the answer of one.

use std::collections::BTreeSet;

use adjudicate_core::{
    Operation,
    documents::{ActionReason, EventKind},
};
use adjudicate_tests::parity::{expected, read_of};
use serde_json::Value;

/// The actions and the payloads of all answers.
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "the corpus has these files")]
fn answered() -> (Vec<Value>, Vec<Value>) {
    let (mut actions, mut payloads) = (Vec::new(), Vec::new());
    for fixture in read_of(Operation::ApplyGuardrails) {
        let answer: Value = serde_json::from_str(expected(&fixture)).unwrap();
        let list = |name: &str| answer[name].as_array().cloned().unwrap_or_default();
        actions.extend(list("actions"));
        payloads.extend(list("payloads"));
    }
    (actions, payloads)
}

#[test]
fn every_event_action_and_reason_is_in_an_answer() {
    let (actions, payloads) = answered();
    let texts = |values: &[Value], pointer: &str| -> BTreeSet<String> {
        values.iter().filter_map(|value| Some(value.pointer(pointer)?.as_str()?.to_owned())).collect()
    };
    let all = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(texts(&payloads, "/trigger/kind"), all(EventKind::WORDS));
    let kinds = ["retry", "pause", "hitl", "replan", "fail", "emit"];
    assert_eq!(texts(&actions, "/action/type"), all(&kinds));
    assert_eq!(texts(&actions, "/reason"), all(ActionReason::WORDS));
}
