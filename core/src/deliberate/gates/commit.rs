//! A recommendation that can be acted on: confident, with evidence and a clear path, and nothing open.

use super::super::{facts::LedgerFacts, numbers::NUMBERS, reason::ReasonReporter};
use crate::documents::{
    deliberation::ReasonCode,
    ledger::{Recommendation, Turn},
};

pub(super) fn check(facts: &LedgerFacts<'_, '_>, report: &mut ReasonReporter<'_>) {
    let (Some(recommendation), Some(last)) = (facts.ledger.recommendation, facts.ledger.turns.last()) else {
        return;
    };
    let is_owed = !facts.duties.is_empty() || facts.ledger.open_question().is_some();
    if is_sound(recommendation) && facts.ledger.has_evidence() && is_settled(last) && !is_owed {
        report.at("/recommendation", ReasonCode::RecommendationReady);
    }
}

const fn is_sound(recommendation: Recommendation<'_>) -> bool {
    recommendation.path_clear && recommendation.risks_documented
}

/// Returns true if the last turn is confident and leaves nothing open; earlier turns do not matter.
fn is_settled(last: &Turn<'_>) -> bool {
    last.confidence.0 >= NUMBERS.commit && last.conflicts_open.is_empty() && last.blocker.is_none()
}
