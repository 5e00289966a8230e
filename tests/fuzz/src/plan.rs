//! Any bytes as a call about plans, outputs or runs: refused, or answered as the operation's contract says, the same twice;
//! and what is merged already stays as it is.
#![no_main]

use adjudicate_core::{
    Operation,
    json::{self, Limits, Node},
};
use libfuzzer_sys::fuzz_target;

const OPERATIONS: [Operation; 4] =
    [Operation::ValidatePlan, Operation::MergeDiagnostics, Operation::ObserveOutput, Operation::ApplyGuardrails];

fuzz_target!(|call: &[u8]| {
    for operation in OPERATIONS {
        let answer = operation.call(call);
        assert_eq!(answer, operation.call(call));
        let Ok(answer) = answer else { continue };
        let input = json::read(call, Limits::DOCUMENT).expect("what was answered is JSON");
        let tape = json::read(answer.as_bytes(), Limits::ANSWER).expect("an answer is JSON");
        operation.check_answer(input.root(), tape.root()).expect("it is what answers must be");
        if operation == Operation::MergeDiagnostics {
            let of = |bucket| tape.root().member(bucket).into_iter().flat_map(Node::items).map(json::canonical);
            let again: Vec<String> = ["failures", "warnings", "infos"].into_iter().flat_map(of).collect();
            let mut weights = String::new();
            if let Some(given) = input.root().member("weights") {
                weights = format!(r#","weights":{}"#, json::canonical(given));
            }
            let again = format!(r#"{{"diagnostics":[{}]{weights}}}"#, again.join(","));
            assert_eq!(operation.call(again.as_bytes()), Ok(answer));
        }
    }
});
