//! One turn of low novelty: another strategy, if there has been none.

use super::super::{
    facts::Facts,
    novelty::low_in_a_row,
    reason::{ReasonCode, Reporter},
};

pub(super) fn check(facts: &Facts<'_, '_>, report: &mut Reporter<'_>) {
    if facts.ledger.switch.is_none() && low_in_a_row(facts.ledger) > 0 {
        report.at(facts.ledger.last_path("uncertainty"), ReasonCode::LowNovelty);
    }
}
