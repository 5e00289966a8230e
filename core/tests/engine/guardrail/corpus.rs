//! The cases of the corpus: every event, action and reason is in the answer of one.

use std::{collections::BTreeSet, fs, path::Path};

use adjudicate_core::documents::{ActionReason, EventKind};
use serde_json::Value;

/// The actions and the payloads of all answers.
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "the corpus has these files")]
fn answered() -> (Vec<Value>, Vec<Value>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/apply_guardrails");
    let (mut actions, mut payloads) = (Vec::new(), Vec::new());
    for file in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if !file.to_string_lossy().ends_with(".answer.json") {
            continue;
        }
        let answer: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
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
