//! The memory of each operation is bounded by its input (docs/reference/errors.md), counted in bytes. This is a binary of its
//! own, because its allocator counts. `cargo xtask bench` measures the same calls at their full size.

use std::collections::BTreeSet;

use adjudicate_core::Operation;
use adjudicate_tests::{
    Corpus,
    memory::{Amount, Counting, FIXED, Hungry, TIMES, calls, composed, peak},
};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The number of items: more than most answers list. It is just above a power of two, where a list that doubles wastes
/// the most room.
const ITEMS: usize = 16_400;

/// The longest `explain` call that counts as short.
const SHORT: usize = 16 << 10;
/// The most memory of a short `explain` call: a quarter of the 16 MiB of a module, which also holds the engine, its stack, the
/// policy and gaps between blocks. If the parts of a search cost 64 steps, a search takes 6 MiB.
const EXPLAINED: usize = 4 << 20;

/// Nearly the longest input: 8 MiB.
const LONGEST: usize = 8_300_000;

/// Calls that take more than 24 bytes per byte of input, until a fixed budget or the limit of inputs ends that.
struct Budgeted {
    operations: &'static [Operation],
    name: &'static str,
    /// The measured maximum of bytes of memory per additional byte of input and answer.
    times: usize,
    /// About the input size in bytes at which the budget ends. Up to there, the call fits into the 64 MiB.
    end: usize,
    /// The budget, and the measured memory at its end.
    why: &'static str,
}

const BUDGETED: &[Budgeted] = &[
    Budgeted {
        operations: &[Operation::Explain],
        name: "artifacts",
        times: 46,
        end: 1_040_000,
        why: "a counterfactual is looked for up to 1 MiB of envelope: 43 MiB",
    },
    Budgeted {
        operations: &[Operation::Explain],
        name: "steps",
        times: 32,
        end: LONGEST,
        why: "no budget, but with the 64 MiB it is less than 24 bytes per byte up to the longest input, names of one letter",
    },
    Budgeted {
        operations: &[Operation::Evaluate, Operation::Facts, Operation::Explain, Operation::CheckPolicy],
        name: "alternatives",
        times: 39,
        end: 850_000,
        why: "patterns stand for 1 MiB of alternatives at most: 25 MiB",
    },
    Budgeted {
        operations: &[Operation::Evaluate, Operation::Facts, Operation::Explain, Operation::CheckPolicy],
        name: "parts of a condition",
        times: 100,
        end: 131_000,
        why: "an expression has 65,536 parts at most: 10 MiB",
    },
    Budgeted {
        operations: &[Operation::Facts],
        name: "forbidden lines",
        times: 38,
        end: LONGEST,
        why: "no budget, but with the 64 MiB it is less than 24 bytes per byte up to the longest input: 172 MiB",
    },
    Budgeted {
        operations: &[Operation::Facts],
        name: "required artifacts",
        times: 25,
        end: LONGEST,
        why: "no budget, but with the 64 MiB it is less than 24 bytes per byte up to the longest input, short names",
    },
    Budgeted {
        operations: &[Operation::Refine, Operation::Facts, Operation::Explain],
        name: "files in a condition",
        times: 49,
        end: 2_100_000,
        why: "a condition on `facts.diff.files` sees 195,312 files at most: 46 MiB",
    },
    Budgeted {
        operations: &[Operation::CheckPolicy],
        name: "required artifacts",
        times: 38,
        end: 1_040_000,
        why: "an envelope with all of them is evaluated beside the policy, of 1 MiB at most: 34 MiB",
    },
];

impl Budgeted {
    /// Lengths of inputs, and the bytes of memory that a call of each may take.
    const fn bounds(&self) -> [(usize, usize); 2] {
        if self.end == LONGEST {
            return [(LONGEST / 2, FIXED + TIMES * LONGEST / 2), (LONGEST, FIXED + TIMES * LONGEST)];
        }
        [(self.end, FIXED), (2 * self.end, 2 * TIMES * self.end)]
    }
}

fn budget(call: &Hungry) -> Option<&'static Budgeted> {
    BUDGETED.iter().find(|each| each.name == call.name && each.operations.contains(&call.operation))
}

/// Returns the call, and the compared peaks and lengths, as a text.
fn described(call: &Hungry, peak: usize, more: usize, allowed: usize) -> String {
    let (operation, name, length) = (call.operation.name(), call.name, call.input.len());
    let why = budget(call).map(|each| format!(" ({})", each.why)).unwrap_or_default();
    let [peak, more, allowed] = [peak, more, allowed].map(|bytes| bytes >> 10);
    format!(
        "{operation} of {name}: {more} KiB where {allowed} are allowed; {length} bytes in, {peak} KiB at most{why}"
    )
}

/// A byte more of input and answer takes at most 24 bytes more of memory, or the number of the call's budget. Twice the
/// items are also just above a power of two.
fn grown_too_much() -> Vec<String> {
    let pairs = calls(Amount::Items(ITEMS)).into_iter().zip(calls(Amount::Items(2 * ITEMS)));
    let grown = pairs.filter_map(|(small, large)| {
        let ((before, short), (after, long)) = (small.peak(), large.peak());
        let times = budget(&large).map_or(TIMES, |each| each.times);
        let bytes = large.input.len() - small.input.len() + long.saturating_sub(short);
        let (more, allowed) = (after.saturating_sub(before), times * bytes);
        let line = described(&large, after, more, allowed);
        println!("{line}");
        (more > allowed).then_some(line)
    });
    grown.collect()
}

/// At the end of a budget, the call takes at most the 64 MiB. With twice the input it takes at most 24 bytes per byte,
/// without the 64 MiB.
fn over_their_budgets() -> Vec<String> {
    let bounds = BUDGETED.iter().flat_map(|each| each.bounds().into_iter().map(move |bound| (each, bound)));
    let over = bounds.flat_map(|(budgeted, (bytes, most))| {
        let calls = calls(Amount::Bytes(bytes)).into_iter();
        calls.filter(|call| budget(call).is_some_and(|each| each.why == budgeted.why)).filter_map(
            move |call| {
                let (peak, _) = call.peak();
                let line = described(&call, peak, peak, most);
                println!("{line}");
                (peak > most).then_some(line)
            },
        )
    });
    over.collect()
}

/// A search for a counterfactual fits into a module: `explain` of a short call takes no more than [`EXPLAINED`].
fn too_large_for_a_module(corpus: &Corpus) -> Vec<String> {
    let short =
        corpus.fixtures.iter().filter(|one| one.operation == Operation::Explain && one.call.len() < SHORT);
    let mut most = 0;
    let too_large = short.filter_map(|fixture| {
        let (_, peak) = peak(|| fixture.native_answer());
        most = most.max(peak);
        (peak > EXPLAINED).then(|| format!("explain of `{}`: {} KiB", fixture.name, peak >> 10))
    });
    let too_large = too_large.collect();
    println!("explain of short calls: {} KiB at most", most >> 10);
    too_large
}

/// The only test of this binary, because the allocator would also count a concurrent test.
#[test]
fn the_memory_of_each_operation_is_bounded() {
    let named: BTreeSet<_> = calls(Amount::Items(16)).iter().map(|call| call.operation).collect();
    assert_eq!(
        named,
        Operation::ALL.iter().copied().collect(),
        "operations with a call that takes much memory"
    );
    let mut over = grown_too_much();
    over.extend(over_their_budgets());
    over.extend(too_large_for_a_module(&Corpus::read().expect("the corpus can be read")));
    assert!(over.is_empty(), "{over:#?}");
    let [before, after] = [ITEMS, 2 * ITEMS].map(|items| composed(Amount::Items(items)).expect("an answer"));
    let [input, more] = [after.0 - before.0, after.1 - before.1];
    assert!(more <= TIMES * input, "composed: {more} bytes more for {input} of input");
}
