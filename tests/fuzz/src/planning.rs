//! Any bytes as a call about planning: refused, or answered as the operation's contract says, the same twice; what is normalised
//! already stays as it is, and gives back its source.
#![no_main]

use adjudicate_core::{
    Operation,
    ir::source_text,
    json::{self, Limits},
};
use libfuzzer_sys::fuzz_target;

const OPERATIONS: [Operation; 3] = [Operation::NormalizePlan, Operation::VerifyReplay, Operation::Deliberate];

fuzz_target!(|call: &[u8]| {
    for operation in OPERATIONS {
        let answer = operation.call(call);
        assert_eq!(answer, operation.call(call));
        let Ok(answer) = answer else { continue };
        let input = json::read(call, Limits::DOCUMENT).expect("what was answered is JSON");
        let tape = json::read(answer.as_bytes(), Limits::ANSWER).expect("an answer is JSON");
        operation.check_answer(input.root(), tape.root()).expect("it is what answers must be");
        if operation == Operation::NormalizePlan {
            source_text(tape.root()).expect("an answer gives back its source");
            let plan = tape.root().member("plan").expect("an answer has a plan");
            let again = format!(r#"{{"format":"planir","plan":{}}}"#, json::canonical(plan));
            let again = operation.call(again.as_bytes()).expect("a plan in canonical form is one");
            let again = json::read(again.as_bytes(), Limits::ANSWER).expect("an answer is JSON");
            let again = again.root().member("plan").map(json::canonical);
            assert_eq!(again, Some(json::canonical(plan)));
        }
    }
});
