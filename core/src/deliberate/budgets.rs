//! Budgets: limits, amounts used, and the bonus of a switch of strategy.

use alloc::{format, string::String};

use super::numbers::NUMBERS;
use crate::documents::{
    deliberation::{BudgetConsumed, NewBudget, PhaseBudget, SpentBudget},
    ledger::{Amounts, Ledger, Turn},
};

/// A budget of a planning session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Budget {
    /// Rounds of planning.
    Iterations,
    /// Calls of subagents.
    SubagentCalls,
    /// Time that went by, in milliseconds.
    WallTime,
}

impl Amounts {
    /// Returns the number for a budget.
    ///
    /// ```
    /// use adjudicate_core::deliberate::{Amounts, Budget};
    /// assert_eq!(Amounts::new(5, 8, 300_000).get(Budget::SubagentCalls), 8);
    /// ```
    #[must_use]
    pub const fn get(self, budget: Budget) -> u64 {
        match budget {
            Budget::Iterations => self.iterations,
            Budget::SubagentCalls => self.subagent_calls,
            Budget::WallTime => self.wall_time_ms.0,
        }
    }

    /// Joins both, budget by budget.
    fn with(self, other: Self, join: fn(u64, u64) -> u64) -> Self {
        let [iterations, subagent_calls, wall_time_ms] =
            Budget::ALL.map(|budget| join(self.get(budget), other.get(budget)));
        Self::new(iterations, subagent_calls, wall_time_ms)
    }
}

impl Budget {
    /// All of them, in their order.
    pub const ALL: [Self; 3] = [Self::Iterations, Self::SubagentCalls, Self::WallTime];

    /// Returns the pointer to its number in a ledger, or to the place where the number would be.
    pub(super) const fn path(self, ledger: &Ledger<'_>) -> &'static str {
        let overrides = ledger.overrides;
        match self {
            Self::Iterations if overrides.max_iterations.is_some() => "/overrides/max_iterations",
            Self::Iterations => "/budgets/max_iterations",
            Self::SubagentCalls if overrides.max_subagent_calls.is_some() => "/overrides/max_subagent_calls",
            Self::SubagentCalls => "/budgets/max_subagent_calls",
            Self::WallTime if overrides.max_wall_time_ms.is_some() => "/overrides/max_wall_time_ms",
            Self::WallTime => "/budgets/max_wall_time_ms",
        }
    }

    /// The name of the budget in a stop report.
    pub(super) const fn consumed_as(self) -> &'static str {
        match self {
            Self::Iterations => "iterations",
            Self::SubagentCalls => "subagent_calls",
            Self::WallTime => "wall_time",
        }
    }
}

impl NewBudget {
    /// The rest after `used`.
    const fn left(self, used: Amounts) -> PhaseBudget {
        PhaseBudget {
            iterations: self.max_iterations.saturating_sub(used.iterations),
            subagent_calls: self.max_subagent_calls.saturating_sub(used.subagent_calls),
        }
    }
}

/// The used part and the limit of each budget.
#[derive(Clone, Copy, Debug)]
pub(super) struct Account {
    pub used: Amounts,
    pub max: Amounts,
}

impl Account {
    /// Counts iterations since the last answer to a question, calls and time since the beginning. A switch adds its bonus to the
    /// limits.
    pub(super) fn new(ledger: &Ledger<'_>) -> Self {
        let iterations = total(ledger.turns_after(ledger.answered())).iterations;
        let used = Amounts { iterations, ..total(&ledger.turns) };
        let max = ledger.limits();
        let bonus = if ledger.switch().is_some() { NUMBERS.bonus } else { Amounts::new(0, 0, 0) };
        Self { used, max: max.with(bonus, u64::saturating_add) }
    }

    /// The rest of each budget.
    pub(super) fn left(&self) -> Amounts {
        self.max.with(self.used, u64::saturating_sub)
    }

    /// The used part of each budget.
    pub(super) fn consumed(&self) -> BudgetConsumed<'static> {
        let spent = |budget| {
            let (used, max) = (self.used.get(budget), self.max.get(budget));
            SpentBudget { used, max, text: spent_text(used, max).into() }
        };
        BudgetConsumed {
            iterations: spent(Budget::Iterations),
            subagent_calls: spent(Budget::SubagentCalls),
            wall_time: spent(Budget::WallTime),
        }
    }

    /// Returns true if a budget is spent.
    pub(super) const fn is_exhausted(&self, budget: Budget) -> bool {
        self.used.get(budget) >= self.max.get(budget)
    }
}

/// The used part of a budget, for example `3/5`.
pub(super) fn spent_text(used: u64, max: u64) -> String {
    format!("{used}/{max}")
}

/// The rest of the phase after a switch of strategy; an answer after the switch lifts its cap.
pub(super) fn phase_left(ledger: &Ledger<'_>) -> Option<PhaseBudget> {
    let switched = ledger.switch()?.after_turn;
    let is_lifted = ledger.answered().is_some_and(|answered| answered > switched);
    (!is_lifted).then(|| NUMBERS.phase.left(total(ledger.turns_after(Some(switched)))))
}

/// The sum of the amounts that turns used.
pub(super) fn total(turns: &[Turn<'_>]) -> Amounts {
    let add = |all: Amounts, turn: &Turn<'_>| all.with(turn.consumed, u64::saturating_add);
    turns.iter().fold(Amounts::new(0, 0, 0), add)
}
