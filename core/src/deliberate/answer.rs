//! Deliberation: runs the gates on a ledger and writes the answer.

use alloc::string::String;

use adjudicate_lang::{
    Error,
    json::{Node, Nullable},
};

use super::{budgets::phase_left, facts::LedgerFacts, gates, numbers::NUMBERS, question, report, warnings};
use crate::{
    bounds,
    documents::{
        deliberation::{BudgetsLeft, Deliberation, Gate, SwitchDeclaration},
        ledger::{Amounts, Ledger},
    },
};

/// Runs the gates on a ledger, in order.
///
/// ```
/// use adjudicate_core::{deliberate::{Gate, Ledger, ReasonCode, StopReason, deliberate}, json};
/// let ledger = br#"{
///   "budgets": {"max_iterations": 1},
///   "turns": [{"n": 1, "confidence": 0.7, "uncertainty": 0.4, "evidence_ids": ["auth-uses-sessions"]}]
/// }"#;
/// let tape = json::read(ledger, json::ReadLimits::DOCUMENT)?;
/// let deliberation = deliberate(&Ledger::read(tape.root())?);
/// assert_eq!(deliberation.gate, Gate::Stop);
/// assert_eq!(deliberation.stop_reason(), Some(StopReason::BudgetExhausted));
/// assert!(deliberation.reasons.iter().any(|reason| reason.code == ReasonCode::Provisional));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[must_use]
pub fn deliberate<'a>(ledger: &Ledger<'a>) -> Deliberation<'a> {
    let facts = LedgerFacts::new(ledger);
    let (row, mut reasons) = gates::decide(&facts);
    let stop_report = row.stop_reason.map(|stop_reason| report::new(stop_reason, &facts, &reasons));
    let trigger = reasons.first().filter(|_| row.gate == Gate::Switch).map(|reason| reason.code);
    let switch = trigger.map(|trigger| SwitchDeclaration {
        trigger: trigger.as_str(),
        current_strategy: Nullable(ledger.strategy_at(ledger.last_number())),
        new_budget: NUMBERS.phase,
    });
    warnings::report(ledger, row.gate, &mut reasons);
    let Amounts { iterations, subagent_calls, wall_time_ms, .. } = facts.account.left();
    let budgets_left =
        BudgetsLeft { iterations, subagent_calls, wall_time_ms: wall_time_ms.0, phase: phase_left(ledger) };
    Deliberation {
        gate: row.gate,
        reasons,
        triggers: facts.signs.iter().map(|sign| sign.trigger).collect(),
        duties: facts.duties,
        budgets_left,
        switch,
        stop_report,
        question_verdict: ledger.question.as_ref().map(question::judge),
    }
}

/// The operation `deliberate`: reads a ledger and answers it (docs/reference/planning-gates.md).
///
/// # Errors
///
/// Those of [`Ledger::read`].
///
/// ```
/// use adjudicate_core::{deliberate::deliberate_text, json};
/// let ledger = br#"{"checks": {"permission_denied": ["/etc/secrets"]}}"#;
/// let answer = deliberate_text(json::read(ledger, json::ReadLimits::DOCUMENT)?.root())?;
/// assert!(answer.starts_with(r#"{"gate":"stop","reasons":[{"code":"permission_denied","#));
/// assert!(answer.contains(r#""stop_report":{"stop_reason":"human_required","confidence":0.0,"#));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn deliberate_text(input: Node<'_>) -> Result<String, Error> {
    bounds::checked(deliberate(&Ledger::read(input)?).to_json())
}
