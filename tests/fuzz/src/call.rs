//! Any bytes as a call of every operation: an answer or an error, the same one twice; an answer keeps the output contract.
#![no_main]

mod contract;

use adjudicate_core::Operation;
use contract::answered;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|call: &[u8]| {
    for &operation in Operation::ALL {
        answered(operation, call, |_, _| {});
    }
});
