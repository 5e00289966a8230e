//! How far a recommendation can be relied on, by the confidence of the last turn.

use super::{gates::NUMBERS, ledger::Ledger};
use crate::words::words;

words! {
    /// The label of a recommendation in a stop report.
    Readiness {
        /// Confidence is below 0.7: the recommendation is premature, the best that there is.
        BestEffort = "best_effort",
        /// Confidence is 0.7 or more and below 0.8.
        Provisional = "provisional",
        /// Confidence is 0.8 or more.
        Ready = "ready",
    }
}

impl Readiness {
    /// Judges the confidence of the last turn. Without a turn there is no confidence.
    pub(super) fn of(ledger: &Ledger<'_>) -> Self {
        let confidence = ledger.turns.last().map(|turn| turn.confidence).unwrap_or_default();
        if confidence >= NUMBERS.commit {
            Self::Ready
        } else if confidence >= NUMBERS.provisional {
            Self::Provisional
        } else {
            Self::BestEffort
        }
    }
}
