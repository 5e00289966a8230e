//! Calls that nobody wrote, natively and through the engine module in the sandbox: the same bytes, and no panic.
//!
//! `cargo test` makes some thousand calls, `cargo xtask soak --calls N` any number.

use std::thread;

use adjudicate_core::Operation;
use adjudicate_tests::Fixture;
use proptest::{
    prelude::*,
    sample::{Index, select},
    test_runner::{Config, RngSeed, TestError, TestRunner},
};

use crate::{
    mutation::{config, edited},
    sandbox::known,
    totality::{all_accepted, damage, damaged, documents},
};

/// The least number of calls; `PROPTEST_CASES` makes it larger.
const LEAST: u32 = 4_096;
/// The calls are made in that many threads, each from a seed of its own.
const PARTS: u32 = 4;
/// The seed of the first part.
const SEED: u64 = 0x0AD0;

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

#[test]
fn the_sandbox_answers_any_call_as_the_engine_does() {
    let cases = config().cases.max(LEAST) / PARTS;
    thread::scope(|scope| {
        for part in 0..PARTS {
            scope.spawn(move || {
                let seed = RngSeed::Fixed(SEED + u64::from(part));
                let mut runner = TestRunner::new(Config { cases, rng_seed: seed, ..config() });
                match runner.run(&calls(), |(operation, call)| agree(operation, &call)) {
                    Err(TestError::Fail(reason, (operation, call))) => {
                        panic!("{}: {}\n{reason}", operation.name(), String::from_utf8_lossy(&call))
                    }
                    other => other.expect("calls can be made up"),
                }
            });
        }
    });
}

fn agree(operation: Operation, call: &[u8]) -> Result<(), TestCaseError> {
    let native = operation.call(call).unwrap_or_else(|error| error.to_json());
    let sandboxed = known().call(operation, call).unwrap_or_else(|error| error.to_json());
    prop_assert_eq!(native, sandboxed);
    Ok(())
}
