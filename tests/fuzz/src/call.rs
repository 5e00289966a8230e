//! Any bytes as a call: an answer that keeps the output contract, or an error; the same one twice.
#![no_main]

use adjudicate_core::{
    Operation,
    evaluate::check_answer,
    json::{self, Limits},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|call: &[u8]| {
    let answer = Operation::Evaluate.call(call);
    assert_eq!(answer, Operation::Evaluate.call(call));
    if let Ok(answer) = answer {
        let answer = json::read(answer.as_bytes(), Limits::DOCUMENT).expect("an answer is JSON");
        let call = Operation::Evaluate.read(call).expect("what has an answer is JSON");
        assert_eq!(check_answer(call.root(), answer.root()), Ok(()));
    }
});
