//! An overall budget of which nothing is left. The agent owes the question that would let it go on.

use super::super::{
    budgets::Budget,
    facts::Facts,
    readiness::Readiness,
    reason::{ReasonCode, Reporter},
};

pub(super) fn check(facts: &Facts<'_, '_>, report: &mut Reporter<'_>) {
    let (ledger, account) = (facts.ledger, &facts.account);
    for budget in Budget::ALL.iter().copied().filter(|budget| account.is_exhausted(*budget)) {
        let code = match budget {
            Budget::Iterations => ReasonCode::IterationsExhausted,
            Budget::SubagentCalls => ReasonCode::SubagentCallsExhausted,
            Budget::WallTime => ReasonCode::WallTimeExhausted,
        };
        report.at(ledger.limits.path(budget), code);
    }
    if report.is_empty() {
        return;
    }
    report.at("/question", ReasonCode::BlockingQuestionOwed);
    let code = match Readiness::of(ledger) {
        Readiness::BestEffort => ReasonCode::BestEffort,
        Readiness::Provisional | Readiness::Ready => ReasonCode::Provisional,
    };
    report.at(ledger.last_path("confidence"), code);
}
