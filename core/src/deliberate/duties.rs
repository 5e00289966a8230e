//! The duties of an agent in its first turns (docs/reference/planning-gates.md).

use alloc::vec::Vec;
use core::cmp::Ordering;

use adjudicate_lang::Decimal;

use super::numbers::NUMBERS;
use crate::documents::{
    deliberation::Duty,
    ledger::{Amounts, BudgetAllocation, Ledger, Turn},
};

/// The duties that are due and open, in order. Any turn may do them, late too.
pub(super) fn open(ledger: &Ledger<'_>) -> Vec<Duty> {
    let due = NUMBERS.duties.iter().filter(|(_, turn)| ledger.last_number() >= *turn);
    due.map(|(duty, _)| *duty).filter(|duty| !is_done(ledger, *duty)).collect()
}

/// Returns true if a duty was done, by any turn. An allocation beyond the budgets does not do its duty.
fn is_done(ledger: &Ledger<'_>, duty: Duty) -> bool {
    let is_by_a_turn = |does: fn(&Turn<'_>) -> bool| ledger.turns.iter().any(does);
    match duty {
        Duty::Triad => has_triad(ledger),
        Duty::ExplorationPlan => is_by_a_turn(|turn| !turn.exploration_plan.is_empty()),
        Duty::BudgetAllocation => {
            is_by_a_turn(|turn| !turn.budget_allocation.is_empty()) && allocation_excess(ledger).is_none()
        }
        Duty::NoveltyCheck => is_by_a_turn(|turn| !turn.novelty_check.is_empty()),
    }
}

/// Returns true if goal, constraints and initial evidence are all present.
pub(super) fn has_triad(ledger: &Ledger<'_>) -> bool {
    ledger.triad() == [true; 3]
}

/// Returns the index of the turn with the last allocation, and the field of it that exceeds its budget.
pub(super) fn allocation_excess(ledger: &Ledger<'_>) -> Option<(usize, &'static str)> {
    let (turn, excess) = ledger.last_turn_with(|turn| {
        let allocation = &turn.budget_allocation;
        (!allocation.is_empty()).then(|| excess(allocation, ledger.limits()))
    })?;
    Some((turn, excess?))
}

/// Returns the first field of an allocation that exceeds its budget.
fn excess(allocation: &BudgetAllocation, budgets: Amounts) -> Option<&'static str> {
    let counts = [
        ("max_iterations", allocation.max_iterations, budgets.iterations),
        ("max_subagent_calls", allocation.max_subagent_calls, budgets.subagent_calls),
        ("max_wall_time_ms", allocation.max_wall_time_ms.map(|time| time.0), budgets.wall_time_ms.0),
    ];
    let exceeds = |(_, share, budget): &(_, Option<u64>, u64)| share.is_some_and(|share| share > *budget);
    if let Some((name, ..)) = counts.into_iter().find(exceeds) {
        return Some(name);
    }
    let estimate = allocation.estimated_wall_time?;
    let time = Decimal::new(budgets.wall_time_ms.0, 0);
    let left = Decimal::sign_of_sum(&[(estimate.unit, estimate.number), (-1, time)]);
    (left == Ordering::Greater).then_some("estimated_wall_time")
}
