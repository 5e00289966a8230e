//! What only an answer helps with.

use super::{
    super::{
        duties::Duty,
        facts::Facts,
        novelty::low_in_a_row,
        question::Question,
        reason::{ReasonCode, Reporter},
    },
    NUMBERS,
};

pub(super) fn check(facts: &Facts<'_, '_>, report: &mut Reporter<'_>) {
    let ledger = facts.ledger;
    if let Some(used) = facts.capped_phase() {
        for (budget, cap, code) in NUMBERS.phase {
            if used.of(budget) >= cap {
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
    if ledger.open_question().is_some_and(Question::is_singular_and_blocking) {
        report.at("/question", ReasonCode::QuestionOpen);
    }
}
