//! Any bytes as `{logic, data}`: an answer or an error in both modes, the same one twice.
#![no_main]

use adjudicate_core::{
    evaluate_logic,
    json::{self, ReadLimits},
    logic::Mode,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|call: &[u8]| {
    for mode in [Mode::Strict, Mode::Compat] {
        let answer = evaluate_logic(call, mode);
        assert_eq!(answer, evaluate_logic(call, mode));
        if let Ok(answer) = answer {
            json::read(answer.as_bytes(), ReadLimits::ANSWER).expect("an answer is JSON");
        }
    }
});
