//! Any bytes as an envelope: `refine` has the decision of `evaluate`, and accepts the envelope's own evaluation.
#![no_main]

use adjudicate_core::{Operation, join_documents};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|envelope: &[u8]| {
    let Ok(input) = join_documents(&[("envelope", envelope)]) else { return };
    let refined = Operation::Refine.call(input.as_bytes());
    let evaluated = Operation::Evaluate.call(input.as_bytes());
    assert_eq!(refined.is_ok(), evaluated.is_ok());
    let Ok(evaluation) = evaluated else { return };
    // Together they may exceed the size limit.
    if let Ok(input) = join_documents(&[("envelope", envelope), ("evaluation", evaluation.as_bytes())]) {
        assert_eq!(Operation::Refine.call(input.as_bytes()), refined);
    }
});
