//! A recommendation that can be acted on: sure enough, on evidence, on a clear path, and nothing is open.

use adjudicate_lang::json::Node;

use super::{
    super::{
        facts::Facts,
        ledger::Recommendation,
        reason::{ReasonCode, Reporter},
        turn::Turn,
    },
    NUMBERS,
};

pub(super) fn check(facts: &Facts<'_, '_>, report: &mut Reporter<'_>) {
    let (Some(recommendation), Some(last)) = (facts.ledger.recommendation, facts.ledger.turns.last()) else {
        return;
    };
    let is_owed = !facts.duties.is_empty() || facts.ledger.open_question().is_some();
    if is_sound(recommendation) && facts.ledger.has_evidence() && is_settled(last) && !is_owed {
        report.at("/recommendation", ReasonCode::RecommendationReady);
    }
}

const fn is_sound(recommendation: Recommendation<'_>) -> bool {
    recommendation.is_path_clear && recommendation.are_risks_documented
}

/// Whether the last turn is sure enough and leaves nothing open; what earlier ones left open is their past.
fn is_settled(last: &Turn<'_>) -> bool {
    let has_conflicts = last.conflicts.is_some_and(|conflicts| !Node::is_empty(conflicts));
    last.confidence >= NUMBERS.commit && !has_conflicts && last.blocker.is_none()
}
