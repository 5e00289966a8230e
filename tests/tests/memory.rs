//! The memory of each operation is bounded by its input (SPEC section 18.9), counted in bytes. A binary of its own, because its
//! allocator counts. `cargo xtask bench` measures the same calls at their full size.

use adjudicate_core::{MAX_LISTED, Operation};
use adjudicate_tests::memory::{Amount, Counting, FIXED, Hungry, TIMES, calls, composed};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The number of items: more than most answers list, and just above a power of two, where a list that doubles wastes the most
/// room.
const ITEMS: usize = 16_400;
/// Calls whose memory a budget or the list of an answer bounds far below 8 MiB, and why. They may use all of the 64 MiB. `cargo
/// xtask bench` holds them to the same bound at 8 MiB.
const BUDGETED: &[(&str, &str)] = &[
    ("artifacts", "a counterfactual is looked for up to 1 MiB of envelope"),
    ("alternatives", "patterns stand for 1 MiB of alternatives at most"),
    ("parts of a condition", "an expression has 65,536 parts at most"),
    ("rules that fire", "a trace lists each rule, in 16 MiB of text at most"),
];

/// The calls of both sizes; twice the items are just above a power of two, too. Leaves out `refine`, because `explain` does more,
/// and `check_policy`, which drafts envelopes for seconds: the benchmark measures both.
fn pairs() -> impl Iterator<Item = (Hungry, Hungry)> {
    let pairs = calls(Amount::Items(ITEMS)).into_iter().zip(calls(Amount::Items(2 * ITEMS)));
    pairs.filter(|(small, _)| !matches!(small.operation, Operation::Refine | Operation::CheckPolicy))
}

/// The only test of this binary, because the allocator would count a concurrent test, too. The 64 MiB are for listed items: where
/// the list is full at the smaller size, a larger call takes at most 24 bytes for each further byte.
#[test]
fn a_byte_more_of_input_is_24_bytes_more_of_memory() {
    let mut over = Vec::new();
    for (small, large) in pairs() {
        let ((before, _), (after, answer)) = (small.peak(), large.peak());
        let is_cut = small.listed <= MAX_LISTED && BUDGETED.iter().all(|(name, _)| *name != small.name);
        let (more, allowed) = match is_cut {
            true => (after.saturating_sub(before), TIMES * (large.input.len() - small.input.len())),
            false => (after, TIMES * large.input.len() + FIXED),
        };
        let line = format!(
            "{} of {}: {} KiB more where {} are allowed; {} bytes in, {} KiB at most, {answer} bytes out",
            large.operation.name(),
            large.name,
            more >> 10,
            allowed >> 10,
            large.input.len(),
            after >> 10,
        );
        println!("{line}");
        if more > allowed {
            over.push(line);
        }
    }
    assert!(over.is_empty(), "{over:#?}");
    let [before, after] = [ITEMS, 2 * ITEMS].map(|items| composed(Amount::Items(items)).expect("an answer"));
    let [input, more] = [after.0 - before.0, after.1 - before.1];
    assert!(more <= TIMES * input, "composed: {more} bytes more for {input} of input");
}
