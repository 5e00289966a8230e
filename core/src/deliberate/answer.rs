//! Deliberation: runs the gates on a ledger and writes the answer.

use alloc::{string::String, vec::Vec};

use adjudicate_lang::{
    Error,
    json::{
        Node,
        object::{ObjectWriter, write_list},
    },
};

use super::{
    budgets::{Budget, phase_left},
    facts::LedgerFacts,
    gates, question,
    reason::PlanningReason,
    report,
    switch::Switch,
    warnings,
};
use crate::{
    bounds,
    documents::{
        deliberation::{Duty, Gate, PhaseBudget, QualityReason, StopReason, Trigger},
        ledger::{Amounts, Ledger},
    },
};

/// The next act of a planning agent, with its reasons.
#[derive(Clone, Debug)]
pub struct Deliberation {
    gate: Gate,
    stop_reason: Option<StopReason>,
    reasons: Vec<PlanningReason>,
    triggers: Vec<Trigger>,
    duties: Vec<Duty>,
    budgets_left: Amounts,
    phase_left: Option<PhaseBudget>,
    switch: Option<Switch>,
    stop_report: Option<String>,
    verdicts: Option<[QualityReason; 4]>,
}

/// Runs the gates on a ledger, in order.
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
    let facts = LedgerFacts::new(ledger);
    let (row, mut reasons) = gates::decide(&facts);
    let stop_report = row.stop_reason.map(|stop_reason| report::write(stop_reason, &facts, &reasons));
    let switch = if row.gate == Gate::Switch { Switch::new(ledger, &reasons) } else { None };
    warnings::report(ledger, row.gate, &mut reasons);
    Deliberation {
        gate: row.gate,
        stop_reason: row.stop_reason,
        reasons,
        triggers: facts.signs.iter().map(|sign| sign.trigger).collect(),
        budgets_left: facts.account.left(),
        phase_left: phase_left(ledger),
        duties: facts.duties,
        switch,
        stop_report,
        verdicts: ledger.question.as_ref().map(question::verdicts),
    }
}

impl Deliberation {
    /// The next act of the agent.
    #[must_use]
    pub const fn gate(&self) -> Gate {
        self.gate
    }

    /// The reason to end the planning, if the gate ends it.
    #[must_use]
    pub const fn stop_reason(&self) -> Option<StopReason> {
        self.stop_reason
    }

    /// The reasons of the gate, followed by [warnings](super::ReasonCode::is_warning), which have no effect on the gate.
    #[must_use]
    pub fn reasons(&self) -> &[PlanningReason] {
        &self.reasons
    }

    /// The signs of stagnation, whatever the gate.
    #[must_use]
    pub fn triggers(&self) -> &[Trigger] {
        &self.triggers
    }

    /// The duties that are due and open.
    #[must_use]
    pub fn duties(&self) -> &[Duty] {
        &self.duties
    }

    /// The rest of each budget, without the bonus of a switch that this answer calls for.
    #[must_use]
    pub const fn budgets_left(&self) -> Amounts {
        self.budgets_left
    }

    /// The rest of the phase after a switch of strategy, until an answer to a question lifts its cap.
    #[must_use]
    pub const fn phase_left(&self) -> Option<PhaseBudget> {
        self.phase_left
    }

    /// The switch of strategy that the gate calls for.
    ///
    /// ```
    /// use adjudicate_core::{deliberate::{Ledger, PhaseBudget, ReasonCode, deliberate}, json};
    /// let ledger = br#"{
    ///   "goal": "g", "constraints": ["c"], "initial_evidence": ["e"],
    ///   "turns": [
    ///     {"n": 1, "confidence": 0.2, "uncertainty": 0.9, "strategy": "grep for `auth`"},
    ///     {"n": 2, "confidence": 0.4, "uncertainty": 0.6},
    ///     {"n": 3, "confidence": 0.6, "uncertainty": 0.4}
    ///   ]
    /// }"#;
    /// let tape = json::read(ledger, json::Limits::DOCUMENT)?;
    /// let deliberation = deliberate(&Ledger::read(tape.root())?);
    /// let switch = deliberation.switch().ok_or("no switch")?;
    /// assert_eq!(switch.trigger(), ReasonCode::NoNewFiles);
    /// assert_eq!(switch.current_strategy(), Some("grep for `auth`"));
    /// assert_eq!(switch.new_budget(), PhaseBudget { iterations: 2, subagent_calls: 3 });
    /// # Ok::<(), Box<dyn core::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn switch(&self) -> Option<&Switch> {
        self.switch.as_ref()
    }

    /// The stop report as JSON, if there is a reason to stop: `{stop_reason, confidence, evidence_summary,
    /// uncertainties_remaining, next_actions, budget_consumed, recommendation, question}`.
    #[must_use]
    pub fn stop_report(&self) -> Option<&str> {
        self.stop_report.as_deref()
    }

    /// The verdicts on the question of the ledger, if it has one: one for each [`QuestionQuality`](super::QuestionQuality).
    #[must_use]
    pub const fn verdicts(&self) -> Option<[QualityReason; 4]> {
        self.verdicts
    }

    /// The answer: `{gate, reasons[{code, message, path}], triggers[], duties[], budgets_left{iterations, subagent_calls,
    /// wall_time_ms, phase?{iterations, subagent_calls}}, switch?{trigger, current_strategy, new_budget{max_iterations,
    /// max_subagent_calls}}, stop_report?, question_verdict?{singular, answerable, blocking, contextual, each {met, reason}}}`.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut reasons = String::new();
        write_list(&self.reasons, &mut reasons, PlanningReason::write);
        let triggers: Vec<&str> = self.triggers.iter().map(|trigger| trigger.as_str()).collect();
        let duties: Vec<&str> = self.duties.iter().map(|duty| duty.as_str()).collect();
        let mut out = String::new();
        let mut members = ObjectWriter::open(&mut out);
        members.text("gate", Some(self.gate.as_str()));
        members.json("reasons", Some(&reasons));
        members.texts("triggers", &triggers);
        members.texts("duties", &duties);
        members.json("budgets_left", Some(&self.write_left()));
        members.json("switch", self.switch.as_ref().map(Switch::to_json).as_deref());
        members.json("stop_report", self.stop_report.as_deref());
        members.json("question_verdict", self.verdicts.map(question::write_verdicts).as_deref());
        members.close();
        out
    }

    /// `{iterations, subagent_calls, wall_time_ms, phase?}`
    fn write_left(&self) -> String {
        let mut out = String::new();
        let mut members = ObjectWriter::open(&mut out);
        for (name, budget) in Budget::WORDS.iter().zip(Budget::ALL) {
            members.count(name, self.budgets_left.get(budget));
        }
        let phase = self.phase_left.map(|left| left.to_json(["iterations", "subagent_calls"]));
        members.json("phase", phase.as_deref());
        members.close();
        out
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
/// let answer = deliberate_text(json::read(ledger, json::Limits::DOCUMENT)?.root())?;
/// assert!(answer.starts_with(r#"{"gate":"stop","reasons":[{"code":"permission_denied","#));
/// assert!(answer.contains(r#""stop_report":{"stop_reason":"human_required","confidence":0.0,"#));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn deliberate_text(input: Node<'_>) -> Result<String, Error> {
    bounds::checked(deliberate(&Ledger::read(input)?).to_json())
}
