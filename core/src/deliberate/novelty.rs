//! Novelty: a turn that hardly made anything less uncertain.

use super::{gates::NUMBERS, ledger::Ledger, progress::Step};

/// How many of the last turns, one after the other, are of low novelty and count, up to as many as matter.
pub(super) fn low_in_a_row(ledger: &Ledger<'_>) -> usize {
    let last = ledger.turns.len();
    (0..NUMBERS.low_novelty_turns)
        .take_while(|back| last.checked_sub(*back).is_some_and(|n| is_low(ledger, n)))
        .count()
}

/// Returns whether the turn `n` took less than a fifth of the uncertainty before it, and brought neither new evidence nor settled
/// anything. The first turns are not judged, nor are those up to an answer.
fn is_low(ledger: &Ledger<'_>, n: usize) -> bool {
    let number = n as u64;
    if number < NUMBERS.novelty_from_turn || ledger.answered.is_some_and(|answered| answered >= number) {
        return false;
    }
    Step::new(ledger, n).is_some_and(|step| {
        step.takes_less_than(NUMBERS.low_novelty_percent) && !step.settles() && !step.has_new_evidence()
    })
}
