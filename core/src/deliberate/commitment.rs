//! The conditions of a recommendation that can be acted on, apart from duties and questions.

use alloc::string::String;

use super::numbers::NUMBERS;
use crate::documents::ledger::{Ledger, Recommendation};

/// Returns true if the recommendation is sound and has evidence, and the last turn is confident and not blocked. Earlier turns do
/// not matter.
pub(super) fn is_confident(ledger: &Ledger<'_>) -> bool {
    let last = ledger.turns.last();
    ledger.recommendation.is_some_and(is_sound)
        && ledger.has_evidence()
        && last.is_some_and(|last| last.confidence.0 >= NUMBERS.commit && last.blocker.is_none())
}

const fn is_sound(recommendation: Recommendation<'_>) -> bool {
    recommendation.path_clear && recommendation.risks_documented
}

/// Returns the pointer to the first conflict that the last turn leaves open.
pub(super) fn open_conflict(ledger: &Ledger<'_>) -> Option<String> {
    let last = ledger.turns.last()?;
    (!last.conflicts_open.is_empty()).then(|| ledger.last_path("conflicts_open/0"))
}
