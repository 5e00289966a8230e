//! Novelty: finds turns that hardly reduced uncertainty.

use super::{numbers::NUMBERS, progress::TurnProgress};
use crate::documents::ledger::Ledger;

/// The number of last turns in a row that are of low novelty, up to the number that matters.
pub(super) fn low_in_a_row(ledger: &Ledger<'_>) -> usize {
    let last = ledger.turns.len();
    (0..NUMBERS.low_novelty_turns)
        .take_while(|back| last.checked_sub(*back).is_some_and(|n| is_low(ledger, n)))
        .count()
}

/// Returns true if the turn `n` reduced uncertainty by less than a fifth, without new evidence and without settling anything. The
/// first turns, and those before an answer, are not judged.
fn is_low(ledger: &Ledger<'_>, n: usize) -> bool {
    let number = n as u64;
    if number < NUMBERS.novelty_from_turn || ledger.answered().is_some_and(|answered| answered >= number) {
        return false;
    }
    TurnProgress::new(ledger, n).is_some_and(|step| {
        step.takes_less_than(NUMBERS.low_novelty_percent) && !step.settles() && !step.has_new_evidence()
    })
}
