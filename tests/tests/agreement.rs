//! Calls that nobody wrote, natively and through the engine module in the sandbox: the same bytes, and no panic.
//!
//! `cargo test` makes some thousand calls, `cargo xtask soak --calls N` any number.

use adjudicate_core::Operation;
use adjudicate_tests::Fixture;
use proptest::{
    prelude::*,
    sample::{Index, select},
    test_runner::Config,
};

use crate::{
    mutation::{config, edited},
    sandbox::known,
    totality::{all_accepted, damage, damaged, documents},
};

/// The least number of calls; `PROPTEST_CASES` makes it larger.
const LEAST: u32 = 4_096;

/// Calls of any operation: those of the corpus with some edits, damaged ones, and words in any order.
fn calls() -> impl Strategy<Value = (Operation, Vec<u8>)> {
    let fixture = || any::<Index>().prop_map(|index| index.get(all_accepted()));
    let operations = || select(Operation::ALL);
    prop_oneof![
        6 => fixture().prop_flat_map(|fixture: &Fixture| {
            (Just(fixture.operation), edited(Just(fixture)).prop_map(|call| call.to_text().into_bytes()))
        }),
        2 => (fixture(), damage()).prop_map(|(fixture, damage)| (fixture.operation, damaged(&fixture.call, damage))),
        1 => (operations(), documents()).prop_map(|(operation, call)| (operation, call.to_text().into_bytes())),
    ]
}

proptest! {
    #![proptest_config(Config { cases: config().cases.max(LEAST), ..config() })]

    #[test]
    fn the_sandbox_answers_any_call_as_the_engine_does((operation, call) in calls()) {
        let native = operation.call(&call).unwrap_or_else(|error| error.to_json());
        let sandboxed = known().call(operation, &call).unwrap_or_else(|error| error.to_json());
        prop_assert_eq!(native, sandboxed);
    }
}
