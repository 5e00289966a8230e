//! Random calls, natively and through the engine module in the sandbox: both give the same bytes, none panics, and the
//! memory of the process has a bound.
//!
//! `cargo test` makes some thousand calls, and `PROPTEST_CASES=N cargo xtask soak` makes `N`.

use std::{
    fs,
    sync::atomic::{AtomicU64, AtomicUsize, Ordering},
    thread,
    time::Instant,
};

use adjudicate_core::Operation;
use adjudicate_tests::{
    Fixture,
    memory::{FIXED, TIMES},
};
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
/// The number of threads, each with a seed of its own.
const PARTS: u32 = 4;
/// The seed of the first part.
const SEED: u64 = 0x0AD0;
/// The memory in addition to that of the calls: the corpus, the compiled engine, and the other tests of this process.
const BASE: usize = 128 << 20;

/// The number of calls.
static MADE: AtomicU64 = AtomicU64::new(0);
/// The length of the longest call.
static LONGEST: AtomicUsize = AtomicUsize::new(0);

/// Calls of any operation: edited and damaged ones of the corpus, and words in any order.
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
fn the_sandbox_gives_the_same_answer_as_the_engine_for_any_call() {
    let cases = config().cases.max(LEAST) / PARTS;
    let begin = Instant::now();
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
    let (made, longest) = (MADE.load(Ordering::Relaxed), LONGEST.load(Ordering::Relaxed));
    println!("{made} calls in {:.0} s, the longest of {longest} bytes", begin.elapsed().as_secs_f64());
    // A short run says nothing of the memory, which other tests use, too. Linux alone reports it.
    let Some(peak) = resident_peak().filter(|_| cases > LEAST / PARTS) else { return };
    let bound = BASE + PARTS as usize * (TIMES * longest + FIXED);
    println!("{} MiB of memory at most, where {} are allowed", peak >> 20, bound >> 20);
    assert!(peak <= bound, "{peak} bytes of memory where {bound} are allowed");
}

/// The most memory in bytes that this process had at once.
fn resident_peak() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<usize>().ok()? << 10)
}

fn agree(operation: Operation, call: &[u8]) -> Result<(), TestCaseError> {
    MADE.fetch_add(1, Ordering::Relaxed);
    LONGEST.fetch_max(call.len(), Ordering::Relaxed);
    let native = operation.call(call).unwrap_or_else(|error| error.to_json());
    let sandboxed = known().call(operation, call).unwrap_or_else(|error| error.to_json());
    prop_assert_eq!(native, sandboxed);
    Ok(())
}
