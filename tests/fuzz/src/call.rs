//! Any bytes as a call of every operation: an answer or an error, the same one twice; that of `evaluate` keeps the output
//! contract.
#![no_main]

use adjudicate_core::{
    Operation,
    evaluate::check_answer,
    json::{self, Limits},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|call: &[u8]| {
    for operation in Operation::ALL {
        assert_eq!(operation.call(call), operation.call(call));
    }
    if let Ok(answer) = Operation::Evaluate.call(call) {
        let answer = json::read(answer.as_bytes(), Limits::DOCUMENT).expect("an answer is JSON");
        let call = Operation::Evaluate.read(call).expect("what has an answer is JSON");
        assert_eq!(check_answer(call.root(), answer.root()), Ok(()));
    }
});
