//! Novelty: a turn that hardly made anything less uncertain.

use core::cmp::Ordering;

use super::{exact::sign, gates::NUMBERS, ledger::Ledger};

/// How many of the last turns, one after the other, are of low novelty and count, up to as many as matter.
pub(super) fn low_in_a_row(ledger: &Ledger<'_>) -> usize {
    let last = ledger.turns.len();
    (0..NUMBERS.low_novelty_turns)
        .take_while(|back| last.checked_sub(*back).is_some_and(|n| is_low(ledger, n)))
        .count()
}

/// Whether the turn `n` took less than a fifth of what was uncertain before it. The first turns are not judged, nor are those
/// up to an answer. Where nothing was uncertain, nothing need be taken.
fn is_low(ledger: &Ledger<'_>, n: usize) -> bool {
    let number = n as u64;
    if number < NUMBERS.novelty_from_turn || ledger.answered.is_some_and(|answered| answered >= number) {
        return false;
    }
    let turns = n.checked_sub(2).and_then(|first| ledger.turns.get(first..n));
    match turns {
        Some([earlier, later]) => {
            let left = 100 - NUMBERS.low_novelty_percent;
            sign(&[(100, later.uncertainty), (-left, earlier.uncertainty)]) == Ordering::Greater
        }
        _ => false,
    }
}
