//! Deliberating: what the gates say of a ledger, and how it is told.

use alloc::{
    string::{String, ToString as _},
    vec::Vec,
};

use super::{
    budgets::Amounts,
    duties::{self, Duty},
    facts::Facts,
    gates::{self, Gate, NUMBERS, StopReason},
    ledger::Ledger,
    question::{self, Verdict},
    reason::{Reason, ReasonCode, Reporter},
    report,
    stagnation::Trigger,
};
use crate::{
    error::Error,
    json::{
        Node,
        object::{Members, write_list},
    },
};

/// What a planning agent is to do next, and why.
#[derive(Clone, Debug)]
pub struct Deliberation {
    gate: Gate,
    stop_reason: Option<StopReason>,
    reasons: Vec<Reason>,
    triggers: Vec<Trigger>,
    duties: Vec<Duty>,
    budgets_left: Amounts,
    stop_report: Option<String>,
    verdicts: Option<[Verdict; 4]>,
}

/// Asks the gates about a ledger, in their order.
///
/// ```
/// use adjudicate_core::{deliberate::{Gate, Ledger, ReasonCode, StopReason, deliberate}, json};
/// let ledger = br#"{
///   "budgets": {"max_iterations": 1},
///   "turns": [{"n": 1, "confidence": 0.7, "uncertainty": 0.4, "evidence_ids": ["auth-uses-sessions"]}]
/// }"#;
/// let tape = json::read(ledger, json::Limits::DOCUMENT)?;
/// let deliberation = deliberate(&Ledger::read(tape.root())?);
/// assert_eq!(deliberation.gate(), Gate::Stop);
/// assert_eq!(deliberation.stop_reason(), Some(StopReason::BudgetExhausted));
/// assert!(deliberation.reasons().iter().any(|reason| reason.code() == ReasonCode::Provisional));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[must_use]
pub fn deliberate(ledger: &Ledger<'_>) -> Deliberation {
    let facts = Facts::of(ledger);
    let (row, mut reasons) = gates::decide(&facts);
    let stop_report = row.stop_reason.map(|stop_reason| report::write(stop_reason, &facts, &reasons));
    if ledger.last_number() == NUMBERS.triad_warning_at_turn && !duties::has_triad(ledger) {
        Reporter::new(&mut reasons).at(ledger.triad_path(), ReasonCode::TriadDue);
    }
    Deliberation {
        gate: row.gate,
        stop_reason: row.stop_reason,
        reasons,
        triggers: facts.signs.iter().map(|sign| sign.trigger).collect(),
        budgets_left: facts.account.left(),
        duties: facts.duties,
        stop_report,
        verdicts: ledger.question.as_ref().map(|question| question.verdicts),
    }
}

impl Deliberation {
    /// What the agent is to do.
    #[must_use]
    pub const fn gate(&self) -> Gate {
        self.gate
    }

    /// Why the planning ends here, if it does.
    #[must_use]
    pub const fn stop_reason(&self) -> Option<StopReason> {
        self.stop_reason
    }

    /// Why the gate holds; a warning is last.
    #[must_use]
    pub fn reasons(&self) -> &[Reason] {
        &self.reasons
    }

    /// The signs of stagnation, whichever gate holds.
    #[must_use]
    pub fn triggers(&self) -> &[Trigger] {
        &self.triggers
    }

    /// What is due and not done.
    #[must_use]
    pub fn duties(&self) -> &[Duty] {
        &self.duties
    }

    /// What is left of each budget, without what a switch that is called for here would add.
    #[must_use]
    pub const fn budgets_left(&self) -> Amounts {
        self.budgets_left
    }

    /// The stop report as JSON, where there is a reason to stop: `{stop_reason, confidence, evidence_summary,
    /// uncertainties_remaining, next_actions, budget_consumed}`.
    #[must_use]
    pub fn stop_report(&self) -> Option<&str> {
        self.stop_report.as_deref()
    }

    /// What the question of the ledger is, and is not, if it has one: one verdict for each [`Quality`](super::Quality).
    #[must_use]
    pub const fn verdicts(&self) -> Option<[Verdict; 4]> {
        self.verdicts
    }

    /// The answer: `{gate, reasons[{code, message, path}], triggers[], duties[], budgets_left{iterations, subagent_calls,
    /// wall_time_ms}, stop_report?, question_verdict?{singular, answerable, blocking, contextual, each {met, reason}}}`.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut reasons = String::new();
        write_list(&self.reasons, &mut reasons, Reason::write);
        let triggers: Vec<&str> = self.triggers.iter().map(|trigger| trigger.as_str()).collect();
        let duties: Vec<&str> = self.duties.iter().map(|duty| duty.as_str()).collect();
        let left = Amounts::to_json(|budget| self.budgets_left.of(budget).to_string());
        let mut out = String::new();
        let mut members = Members::open(&mut out);
        members.text("gate", Some(self.gate.as_str()));
        members.json("reasons", Some(&reasons));
        members.texts("triggers", &triggers);
        members.texts("duties", &duties);
        members.json("budgets_left", Some(&left));
        members.json("stop_report", self.stop_report.as_deref());
        members.json("question_verdict", self.verdicts.map(question::write_verdicts).as_deref());
        members.close();
        out
    }
}

/// Answers the call `deliberate`: a ledger (SPEC section 10).
///
/// # Errors
///
/// Those of [`Ledger::read`].
///
/// ```
/// use adjudicate_core::{deliberate::deliberate_text, json};
/// let ledger = br#"{"checks": {"permission_denied": ["/etc/secrets"]}}"#;
/// let answer = deliberate_text(json::read(ledger, json::Limits::DOCUMENT)?.root())?;
/// assert!(answer.starts_with(r#"{"gate":"stop","reasons":[{"code":"permission_denied","#));
/// assert!(answer.contains(r#""stop_report":{"stop_reason":"human_required","confidence":0.0,"#));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn deliberate_text(input: Node<'_>) -> Result<String, Error> {
    Ok(deliberate(&Ledger::read(input)?).to_json())
}
