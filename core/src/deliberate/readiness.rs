//! The readiness of a recommendation, by the confidence of the last turn.

use super::numbers::NUMBERS;
use crate::documents::{deliberation::Readiness, ledger::Ledger};

impl Readiness {
    /// Judges the confidence of the last turn. Without a turn there is no confidence.
    pub(super) fn from_ledger(ledger: &Ledger<'_>) -> Self {
        let confidence = ledger.turns.last().map(|turn| turn.confidence.0).unwrap_or_default();
        if confidence >= NUMBERS.commit {
            Self::Ready
        } else if confidence >= NUMBERS.provisional {
            Self::Provisional
        } else {
            Self::BestEffort
        }
    }
}
