//! Any bytes as a policy: refused with an error, or a policy under which a good envelope is answered.
#![no_main]

use std::sync::LazyLock;

use adjudicate_core::{Operation, Policy, codes, evaluate::evaluate_text};
use adjudicate_tests::Fixture;
use libfuzzer_sys::fuzz_target;

static ENVELOPE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let fixture = Fixture::read(Operation::Evaluate, "vector-partial-fixable-typed");
    fixture.expect("the corpus can be read").call
});

fuzz_target!(|document: &[u8]| {
    if let Ok(policy) = Policy::parse(document)
        && let Err(error) = evaluate_text(&ENVELOPE, Some(&policy))
    {
        assert_eq!(error.code(), codes::LIMIT_EXCEEDED, "a policy can only cost too much: {error}");
    }
});
