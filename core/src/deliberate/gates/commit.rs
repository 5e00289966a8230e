//! A recommendation that can be acted on: confident, with evidence and a clear path, and nothing open.

use super::super::{
    commitment::{is_confident, open_conflict},
    facts::LedgerFacts,
    reason::ReasonReporter,
};
use crate::documents::deliberation::ReasonCode;

pub(super) fn check(facts: &LedgerFacts<'_, '_>, report: &mut ReasonReporter<'_>) {
    let is_owed = !facts.duties.is_empty() || facts.ledger.open_question().is_some();
    if is_confident(facts.ledger) && open_conflict(facts.ledger).is_none() && !is_owed {
        report.at("/recommendation", ReasonCode::RecommendationReady);
    }
}
