//! A spent overall budget. The agent still owes the question whose answer would let it continue.

use super::super::{budgets::Budget, facts::LedgerFacts, reason::ReasonReporter};
use crate::documents::deliberation::{Readiness, ReasonCode};

pub(super) fn check(facts: &LedgerFacts<'_, '_>, report: &mut ReasonReporter<'_>) {
    let (ledger, account) = (facts.ledger, &facts.account);
    for budget in Budget::ALL.into_iter().filter(|budget| account.is_exhausted(*budget)) {
        let code = match budget {
            Budget::Iterations => ReasonCode::IterationsExhausted,
            Budget::SubagentCalls => ReasonCode::SubagentCallsExhausted,
            Budget::WallTime => ReasonCode::WallTimeExhausted,
        };
        report.at(budget.path(ledger), code);
    }
    if report.is_empty() {
        return;
    }
    report.at("/question", ReasonCode::BlockingQuestionOwed);
    let code = match Readiness::from_ledger(ledger) {
        Readiness::BestEffort => ReasonCode::BestEffort,
        Readiness::Provisional | Readiness::Ready => ReasonCode::Provisional,
    };
    report.at(ledger.last_path("confidence"), code);
}
