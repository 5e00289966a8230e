//! What an agent owes in its first turns (PAO, first 2-3 turn policies).

use alloc::vec::Vec;

use super::{gates::NUMBERS, ledger::Ledger};
use crate::words::words;

words! {
    /// What is due by the end of a turn.
    Duty {
        /// Goal, constraints and initial evidence.
        Triad = "triad",
        /// What will be looked at, step by step.
        ExplorationPlan = "exploration_plan",
        /// What of the budgets goes where.
        BudgetAllocation = "budget_allocation",
        /// Whether the turns so far brought anything new.
        NoveltyCheck = "novelty_check",
    }
}

/// What is due and not done, in order. It may be done late, and by any turn.
pub(super) fn open(ledger: &Ledger<'_>) -> Vec<Duty> {
    let due = NUMBERS.duties.iter().filter(|(_, turn)| ledger.last_number() >= *turn);
    due.map(|(duty, _)| *duty).filter(|duty| !is_done(ledger, *duty)).collect()
}

/// Returns whether a duty was done, whenever it was. An allocation beyond the budgets does not do its duty.
fn is_done(ledger: &Ledger<'_>, duty: Duty) -> bool {
    match (duty as usize).checked_sub(1) {
        None => has_triad(ledger),
        Some(at) => {
            let is_there = ledger.turns.iter().any(|turn| turn.duties_done.get(at) == Some(&true));
            is_there && (duty != Duty::BudgetAllocation || allocation_excess(ledger).is_none())
        }
    }
}

/// Whether goal, constraints and initial evidence are there, with something in each.
pub(super) fn has_triad(ledger: &Ledger<'_>) -> bool {
    ledger.triad.iter().all(|part| *part)
}

/// The place of the turn whose allocation is the last one, and the member of it that exceeds its budget.
pub(super) fn allocation_excess(ledger: &Ledger<'_>) -> Option<(usize, &'static str)> {
    let (turn, excess) = ledger.last_turn_with(|turn| {
        let [_, has_allocation, _] = turn.duties_done;
        has_allocation.then(|| turn.allocation.excess(ledger.limits.amounts()))
    })?;
    Some((turn, excess?))
}
