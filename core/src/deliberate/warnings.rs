//! Warnings: reasons without effect on the gate. Two of them together are a reason to escalate.

use alloc::{format, string::String, vec::Vec};

use super::{
    commitment::{is_confident, open_conflict},
    duties,
    numbers::NUMBERS,
    progress::fruitless_turn,
    reason::ReasonReporter,
};
use crate::documents::{
    deliberation::{Gate, PlanningReason, Readiness, ReasonCode},
    ledger::{Ledger, Turn},
};

/// Checks for one warning. Returns the JSON Pointer to its evidence, or `None` if the warning does not apply.
type WarningCheck = fn(&Ledger<'_>, Gate) -> Option<String>;

/// The warnings in the order of their codes.
const CHECKS: &[(ReasonCode, WarningCheck)] = &[
    (ReasonCode::NoProgress, |ledger, _| fruitless_turn(ledger)),
    (ReasonCode::EvidenceTheater, |ledger, _| evidence_theater(ledger)),
    (ReasonCode::InvestigatedBeforeTriad, |ledger, _| investigated_before_triad(ledger)),
    (ReasonCode::AllocationOverBudget, |ledger, _| allocation_over_budget(ledger)),
    (ReasonCode::UntypedPlan, |ledger, _| untyped_plan(ledger)),
    (ReasonCode::PrematureRecommendation, |ledger, _| premature_recommendation(ledger)),
    (ReasonCode::DecisionDisagrees, decision_disagrees),
    (ReasonCode::TriadDue, |ledger, _| triad_due(ledger)),
    (ReasonCode::ConflictOpen, |ledger, _| open_conflict(ledger).filter(|_| is_confident(ledger))),
];

/// Adds the warnings that are not among the reasons of the gate.
pub(super) fn report(ledger: &Ledger<'_>, gate: Gate, reasons: &mut Vec<PlanningReason<'static>>) {
    for (code, check) in CHECKS {
        if reasons.iter().any(|reason| reason.code == *code) {
            continue;
        }
        if let Some(path) = check(ledger, gate) {
            ReasonReporter::new(reasons).at(path, *code);
        }
    }
}

/// The last turns gather evidence without a synthesis.
pub(super) fn evidence_theater(ledger: &Ledger<'_>) -> Option<String> {
    let first = ledger.turns.len().checked_sub(NUMBERS.theater_turns)?;
    let is_theater = |turn: &Turn<'_>| turn.gathers() && !turn.synthesizes();
    ledger.turns.get(first..)?.iter().all(is_theater).then(|| ledger.last_turn_path())
}

/// A turn gathers evidence, and the ledger still has no triad.
fn investigated_before_triad(ledger: &Ledger<'_>) -> Option<String> {
    let turn = ledger.turns.iter().position(Turn::gathers)?;
    (!duties::has_triad(ledger)).then(|| format!("/turns/{turn}"))
}

fn allocation_over_budget(ledger: &Ledger<'_>) -> Option<String> {
    let (turn, member) = duties::allocation_excess(ledger)?;
    Some(Ledger::path(turn, &format!("budget_allocation/{member}")))
}

/// The last exploration plan has a step that is plain text.
fn untyped_plan(ledger: &Ledger<'_>) -> Option<String> {
    let (turn, place) =
        ledger.last_turn_with(|turn| (!turn.exploration_plan.is_empty()).then(|| turn.untyped_step()))?;
    Some(Ledger::path(turn, &format!("exploration_plan/{}", place?)))
}

fn premature_recommendation(ledger: &Ledger<'_>) -> Option<String> {
    let is_premature =
        ledger.recommendation.is_some() && Readiness::from_ledger(ledger) == Readiness::BestEffort;
    is_premature.then(|| "/recommendation".into())
}

/// The last turn states another decision than the gate.
fn decision_disagrees(ledger: &Ledger<'_>, gate: Gate) -> Option<String> {
    let [first, _] = ledger.turns.last()?.decisions();
    let (pointer, stated) = first?;
    (stated.decision.as_str() != gate.as_str()).then(|| ledger.last_turn_path() + pointer)
}

/// The first turn has no triad yet.
fn triad_due(ledger: &Ledger<'_>) -> Option<String> {
    let is_due = ledger.last_number() == NUMBERS.triad_warning_at_turn && !duties::has_triad(ledger);
    is_due.then(|| ledger.triad_path().into())
}
