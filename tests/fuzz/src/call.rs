//! Any bytes as a call of every operation: an answer or an error, the same one twice; an answer keeps the output contract.
#![no_main]

use adjudicate_core::{
    Operation,
    json::{self, Limits},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|call: &[u8]| {
    for operation in Operation::ALL {
        let answer = operation.call(call);
        assert_eq!(answer, operation.call(call));
        if let Ok(answer) = answer {
            let answer = json::read(answer.as_bytes(), Limits::ANSWER);
            let answer = answer.expect("an answer is JSON");
            let call = operation.read(call).expect("what has an answer is JSON");
            assert_eq!(operation.check_answer(call.root(), answer.root()), Ok(()));
        }
    }
});
