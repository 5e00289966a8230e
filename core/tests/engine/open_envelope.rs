//! Open envelopes: after each change, the answer is that of the changed text.

use adjudicate_core::{OpenEnvelope, Operation, Policy};
use adjudicate_tests::parity::read_of;
use serde_json::{Value, json};

use crate::garbage::{garbage, pointers};

/// The number of changes of an envelope, one after another.
const CHANGES: usize = 24;

/// A sequence of numbers that is the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

#[test]
fn a_changed_envelope_is_answered_as_its_text() {
    let policy =
        Policy::parse(br#"{"policy": "p", "version": "1.0.0", "forbidden_paths": ["infra/**"]}"#).unwrap();
    let mut numbers = Numbers(1);
    let mut outcomes = [0, 0];
    for fixture in read_of(Operation::Evaluate) {
        // Some calls are nested deeper than this reader goes.
        let Ok(original) = serde_json::from_slice::<Value>(&fixture.call) else { continue };
        let Ok(mut open) = OpenEnvelope::read(&fixture.call) else { continue };
        let mut all = Vec::new();
        pointers(&original, "", &mut all);
        for change in 0..CHANGES {
            let Some(pointer) = all.get(numbers.below(all.len().max(1))) else { break };
            // A part that was removed or replaced by garbage comes back, so that many changed envelopes are valid.
            let value = match numbers.below(4) {
                0 => garbage()[numbers.below(garbage().len())].clone(),
                1 => json!(format!("line {change}\n")),
                _ => original.pointer(pointer).unwrap().clone(),
            };
            let before = open.text().to_owned();
            let changed = match numbers.below(8) {
                0 => open.remove(pointer),
                _ => open.set(pointer, value.to_string().as_bytes()),
            };
            if changed.is_err() {
                assert_eq!(open.text(), before);
            }
            for policy in [None, Some(&policy)] {
                let expected = Operation::Evaluate.call_with(open.text().as_bytes(), policy);
                assert_eq!(open.evaluate(policy), expected, "{}: {pointer}", fixture.name);
                outcomes[usize::from(expected.is_ok())] += 1;
            }
        }
    }
    assert!(outcomes.iter().all(|count| *count > 1000), "{outcomes:?}");
}

#[test]
fn an_invalid_envelope_can_be_corrected() {
    let example = Operation::Evaluate.example();
    let mut open = OpenEnvelope::read(example.as_bytes()).unwrap();
    let answer = open.evaluate(None).unwrap();
    open.set("/run_id", b"7").unwrap();
    open.set("/evidence/artifact", b"[]").unwrap();
    let error = open.evaluate(None).unwrap_err();
    assert_eq!((error.code().as_str(), error.path()), ("invalid_value", "/run_id"));
    assert_eq!(error.all().count(), 2);
    open.set("/run_id", br#""run-7""#).unwrap();
    open.remove("/evidence/artifact").unwrap();
    assert_eq!(open.evaluate(None), Ok(answer));
    assert_eq!(open.text(), example);
}

#[test]
fn a_call_opens_with_its_policy() {
    let call = format!(
        r#"{{"envelope": {}, "policy": {{"policy": "p", "version": "1.0.0"}}}}"#,
        Operation::Evaluate.example()
    );
    let mut open = OpenEnvelope::read(call.as_bytes()).unwrap();
    open.set("/policy/forbidden_paths", br#"["src/**"]"#).unwrap();
    assert!(open.evaluate(None).unwrap().starts_with(r#"{"decision":{"status":"unsafe""#));
    let policy = Policy::parse(br#"{"policy": "q", "version": "1.0.0"}"#).unwrap();
    assert_eq!(open.evaluate(Some(&policy)).unwrap_err().path(), "/policy");
    open.remove("/policy").unwrap();
    assert!(open.evaluate(Some(&policy)).unwrap().contains(r#""name":"q""#));
}
