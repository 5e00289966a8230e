//! A turn of low novelty before any switch: the agent switches its strategy.

use super::super::{facts::LedgerFacts, novelty::low_in_a_row, reason::ReasonReporter};
use crate::documents::deliberation::ReasonCode;

pub(super) fn check(facts: &LedgerFacts<'_, '_>, report: &mut ReasonReporter<'_>) {
    if facts.ledger.switch().is_none() && low_in_a_row(facts.ledger) > 0 {
        report.at(facts.ledger.last_path("uncertainty"), ReasonCode::LowNovelty);
    }
}
