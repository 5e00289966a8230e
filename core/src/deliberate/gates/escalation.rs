//! Situations that only the answer of a human resolves.

use super::super::{
    budgets::phase_left, facts::LedgerFacts, novelty::low_in_a_row, numbers::NUMBERS,
    progress::fruitless_turn, reason::ReasonReporter, warnings::evidence_theater,
};
use crate::documents::deliberation::{Duty, ReasonCode};

pub(super) fn check(facts: &LedgerFacts<'_, '_>, report: &mut ReasonReporter<'_>) {
    let ledger = facts.ledger;
    if let Some(left) = phase_left(ledger) {
        for (left, code) in [
            (left.iterations, ReasonCode::PhaseIterationsExhausted),
            (left.subagent_calls, ReasonCode::PhaseCallsExhausted),
        ] {
            if left == 0 {
                report.at("/strategy_switches/0", code);
            }
        }
    }
    if low_in_a_row(ledger) >= NUMBERS.low_novelty_turns {
        report.at(ledger.last_path("uncertainty"), ReasonCode::LowNoveltyRepeated);
    }
    if facts.duties.contains(&Duty::Triad) {
        report.at(ledger.triad_path(), ReasonCode::TriadMissing);
    }
    if ledger.blocking_question().is_some() {
        report.at("/question", ReasonCode::QuestionOpen);
    }
    if let (Some(fruitless), Some(theater)) = (fruitless_turn(ledger), evidence_theater(ledger)) {
        report.at(fruitless, ReasonCode::NoProgress);
        report.at(theater, ReasonCode::EvidenceTheater);
    }
}
