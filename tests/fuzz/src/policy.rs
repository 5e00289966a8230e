//! Any bytes as a policy: refused with an error, or a policy under which a good envelope is answered.
#![no_main]

use adjudicate_core::{codes, Policy, evaluate::evaluate_text};
use libfuzzer_sys::fuzz_target;

const ENVELOPE: &[u8] = include_bytes!("../../../fixtures/evaluate/vector-partial-fixable-typed.json");

fuzz_target!(|document: &[u8]| {
    if let Ok(policy) = Policy::parse(document)
        && let Err(error) = evaluate_text(ENVELOPE, Some(&policy))
    {
        assert_eq!(error.code(), codes::LIMIT_EXCEEDED, "a policy can only cost too much: {error}");
    }
});
