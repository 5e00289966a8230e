//! Any bytes as a call about planning: refused, or answered twice alike within the operation's contract. A normalised
//! plan stays the same when it is normalised again, and gives back its source.
#![no_main]

mod contract;

use adjudicate_core::{
    Operation,
    ir::source_text,
    json::{self, Node, ReadLimits},
};
use contract::answered;
use libfuzzer_sys::fuzz_target;

const OPERATIONS: [Operation; 3] = [Operation::NormalizePlan, Operation::VerifyReplay, Operation::Deliberate];

fuzz_target!(|call: &[u8]| {
    for operation in OPERATIONS {
        answered(operation, call, |_, answer| {
            if operation == Operation::NormalizePlan {
                stays_as_it_is(answer.root());
            }
        });
    }
});

/// Asserts that an answer gives back its source, and that a normalised plan stays the same when it is normalised again.
fn stays_as_it_is(answer: Node<'_>) {
    source_text(answer).expect("an answer gives back its source");
    let plan = answer.member("plan").expect("an answer has a plan");
    let again = format!(r#"{{"format":"planir","plan":{}}}"#, json::canonical(plan));
    let again = Operation::NormalizePlan.call(again.as_bytes()).expect("a plan in canonical form is one");
    let again = json::read(again.as_bytes(), ReadLimits::ANSWER).expect("an answer is JSON");
    let again = again.root().member("plan").map(json::canonical);
    assert_eq!(again, Some(json::canonical(plan)));
}
