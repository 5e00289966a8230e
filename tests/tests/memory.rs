//! The memory of each operation is bounded by its input (SPEC section 18.9), counted in bytes. A binary of its own, because its
//! allocator counts. `cargo xtask bench` measures the same calls at their full size.

use adjudicate_core::Operation;
use adjudicate_tests::memory::{Amount, Counting, FIXED, Hungry, TIMES, calls, composed};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The number of items: more than most answers list, and just above a power of two, where a list that doubles wastes the most
/// room.
const ITEMS: usize = 16_400;

/// Calls that take more than 24 bytes for a byte, until a fixed budget ends that.
struct Budgeted {
    operations: &'static [Operation],
    name: &'static str,
    /// How many bytes of memory a byte more of input and answer takes at most, as measured.
    times: usize,
    /// About how many bytes of input there are where the budget ends. Up to there the call fits into the 64 MiB.
    end: usize,
    /// True if a call of that length takes minutes, so that only one beyond it is made.
    is_slow: bool,
    /// The budget, and the memory that is taken where it ends, as measured.
    why: &'static str,
}

const BUDGETED: &[Budgeted] = &[
    Budgeted {
        operations: &[Operation::Explain],
        name: "artifacts",
        times: 46,
        end: 1_040_000,
        is_slow: false,
        why: "a counterfactual is looked for up to 1 MiB of envelope: 43 MiB",
    },
    Budgeted {
        operations: &[Operation::Evaluate, Operation::Explain, Operation::CheckPolicy],
        name: "alternatives",
        times: 39,
        end: 850_000,
        is_slow: false,
        why: "patterns stand for 1 MiB of alternatives at most: 25 MiB",
    },
    Budgeted {
        operations: &[Operation::Evaluate, Operation::Explain, Operation::CheckPolicy],
        name: "parts of a condition",
        times: 100,
        end: 131_000,
        is_slow: false,
        why: "an expression has 65,536 parts at most: 10 MiB",
    },
    Budgeted {
        operations: &[Operation::CheckPolicy],
        name: "required artifacts",
        times: 43,
        end: 1_050_000,
        is_slow: true,
        why: "an envelope with all of them is evaluated beside the policy, of 1 MiB at most: 34 MiB",
    },
];

impl Budgeted {
    /// Bytes of input, and the bytes of memory that a call of this length may take.
    fn bounds(&self) -> Vec<(usize, usize)> {
        let beyond = (2 * self.end, 2 * TIMES * self.end);
        if self.is_slow { vec![beyond] } else { vec![(self.end, FIXED), beyond] }
    }
}

fn budget(call: &Hungry) -> Option<&'static Budgeted> {
    BUDGETED.iter().find(|each| each.name == call.name && each.operations.contains(&call.operation))
}

/// The call, and the peaks and lengths to compare, in words.
fn told(call: &Hungry, peak: usize, more: usize, allowed: usize) -> String {
    let (operation, name, length) = (call.operation.name(), call.name, call.input.len());
    let why = budget(call).map(|each| format!(" ({})", each.why)).unwrap_or_default();
    let [peak, more, allowed] = [peak, more, allowed].map(|bytes| bytes >> 10);
    format!(
        "{operation} of {name}: {more} KiB where {allowed} are allowed; {length} bytes in, {peak} KiB at most{why}"
    )
}

/// A byte more of input and answer takes 24 bytes more of memory at most, or as many as are written beside the budget. Twice the items
/// are just above a power of two, too.
fn grown_too_much() -> Vec<String> {
    let pairs = calls(Amount::Items(ITEMS)).into_iter().zip(calls(Amount::Items(2 * ITEMS)));
    let grown = pairs.filter_map(|(small, large)| {
        let ((before, short), (after, long)) = (small.peak(), large.peak());
        let times = budget(&large).map_or(TIMES, |each| each.times);
        let bytes = large.input.len() - small.input.len() + long.saturating_sub(short);
        let (more, allowed) = (after.saturating_sub(before), times * bytes);
        let line = told(&large, after, more, allowed);
        println!("{line}");
        (more > allowed).then_some(line)
    });
    grown.collect()
}

/// Where a budget ends, the call takes no more than the 64 MiB; with twice the input, no more than 24 bytes for a byte and none of them.
fn over_their_budgets() -> Vec<String> {
    let bounds = BUDGETED.iter().flat_map(|each| each.bounds().into_iter().map(move |bound| (each, bound)));
    let over = bounds.flat_map(|(budgeted, (bytes, most))| {
        let calls = calls(Amount::Bytes(bytes)).into_iter();
        calls.filter(|call| budget(call).is_some_and(|each| each.why == budgeted.why)).filter_map(
            move |call| {
                let (peak, _) = call.peak();
                let line = told(&call, peak, peak, most);
                println!("{line}");
                (peak > most).then_some(line)
            },
        )
    });
    over.collect()
}

/// The only test of this binary, because the allocator would count a concurrent test, too.
#[test]
fn a_byte_more_of_input_and_answer_is_24_bytes_more_of_memory() {
    let mut over = grown_too_much();
    over.extend(over_their_budgets());
    assert!(over.is_empty(), "{over:#?}");
    let [before, after] = [ITEMS, 2 * ITEMS].map(|items| composed(Amount::Items(items)).expect("an answer"));
    let [input, more] = [after.0 - before.0, after.1 - before.1];
    assert!(more <= TIMES * input, "composed: {more} bytes more for {input} of input");
}
