//! Any bytes as a call about plans, outputs or runs: refused, or answered twice alike within the operation's contract.
//! Merging the diagnostics of an answer again changes nothing.
#![no_main]

mod contract;

use adjudicate_core::{
    Operation,
    json::{self, Node},
};
use contract::answered;
use libfuzzer_sys::fuzz_target;

const OPERATIONS: [Operation; 4] =
    [Operation::ValidatePlan, Operation::MergeDiagnostics, Operation::ObserveOutput, Operation::ApplyGuardrails];

fuzz_target!(|call: &[u8]| {
    for operation in OPERATIONS {
        answered(operation, call, |call, answer| {
            if operation == Operation::MergeDiagnostics {
                stays_as_it_is(call.root(), answer.root(), answer.text());
            }
        });
    }
});

/// Asserts that merging merged diagnostics again returns the same diagnostics.
fn stays_as_it_is(call: Node<'_>, answer: Node<'_>, text: &str) {
    let of = |bucket| answer.member(bucket).into_iter().flat_map(Node::items).map(json::canonical);
    let again: Vec<String> = ["failures", "warnings", "infos"].into_iter().flat_map(of).collect();
    let mut weights = String::new();
    if let Some(given) = call.member("weights") {
        weights = format!(r#","weights":{}"#, json::canonical(given));
    }
    let again = format!(r#"{{"diagnostics":[{}]{weights}}}"#, again.join(","));
    assert_eq!(Operation::MergeDiagnostics.call(again.as_bytes()).as_deref(), Ok(text));
}
