//! An overall budget of which nothing is left. The agent owes the question that would let it go on.

use super::{
    super::{
        budgets::Budget,
        facts::Facts,
        reason::{ReasonCode, Reporter},
    },
    NUMBERS,
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
    report.at("/question", ReasonCode::QuestionOwed);
    // Where no turn says how sure it is, nobody is.
    let is_sure =
        ledger.turns.last().is_some_and(|turn| turn.confidence.compare(NUMBERS.provisional).is_ge());
    let code = if is_sure { ReasonCode::Provisional } else { ReasonCode::BestEffort };
    report.at(ledger.last_path("confidence"), code);
}
