//! The gates in order: one table.
//!
//! The check of each row is in the file of its name. A row holds if its check reports a reason.

mod budgets;
mod commit;
mod escalation;
mod human;
mod novelty;
mod stagnation;

use alloc::vec::Vec;

use super::{facts::LedgerFacts, reason::ReasonReporter};
use crate::documents::deliberation::{Gate, PlanningReason, StopReason};

/// A gate: its check and its result.
pub(super) struct GateRow {
    check: fn(&LedgerFacts<'_, '_>, &mut ReasonReporter<'_>),
    pub gate: Gate,
    /// Present if the gate ends the planning; the answer then has a stop report.
    pub stop_reason: Option<StopReason>,
}

/// The first row that holds decides.
const GATES: &[GateRow] = &[
    // The risk is over its threshold, a file or tests are missing, or access to a source was denied.
    GateRow { check: human::check, gate: Gate::Stop, stop_reason: Some(StopReason::HumanRequired) },
    // Confident, the path is clear, the risks are documented, and nothing is open.
    GateRow { check: commit::check, gate: Gate::Commit, stop_reason: Some(StopReason::RecommendationReady) },
    // An overall budget is spent.
    GateRow { check: budgets::check, gate: Gate::Stop, stop_reason: Some(StopReason::BudgetExhausted) },
    // Stagnation, before and after a switch.
    GateRow { check: stagnation::before_switch, gate: Gate::Switch, stop_reason: None },
    GateRow { check: stagnation::after_switch, gate: Gate::Stop, stop_reason: Some(StopReason::Stagnation) },
    // The phase's cap, two turns of low novelty, no triad, a good question without an answer, or evidence theater without progress.
    GateRow {
        check: escalation::check,
        gate: Gate::Escalate,
        stop_reason: Some(StopReason::BlockingQuestion),
    },
    // One turn of low novelty, before any switch.
    GateRow { check: novelty::check, gate: Gate::Switch, stop_reason: None },
];

/// The row if no gate holds.
const OTHERWISE: GateRow = GateRow { check: |_, _| {}, gate: Gate::Continue, stop_reason: None };

/// The first gate that holds, with its reasons.
pub(super) fn decide(facts: &LedgerFacts<'_, '_>) -> (&'static GateRow, Vec<PlanningReason<'static>>) {
    let mut reasons = Vec::new();
    for row in GATES {
        (row.check)(facts, &mut ReasonReporter::new(&mut reasons));
        if !reasons.is_empty() {
            return (row, reasons);
        }
    }
    (&OTHERWISE, reasons)
}

/// Returns true if some row has this gate and this stop reason.
pub(super) fn is_row(gate: Gate, stop_reason: Option<StopReason>) -> bool {
    let is_it = |row: &GateRow| row.gate == gate && row.stop_reason == stop_reason;
    GATES.iter().any(is_it) || is_it(&OTHERWISE)
}
