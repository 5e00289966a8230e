//! Budgets: what may be used, what was used since when, and what a switch of strategy adds.

use alloc::{format, string::String};

use adjudicate_lang::{
    Error,
    json::{
        Node,
        object::{Field, Form, Members, count, optional, read_object},
    },
};

use super::{gates::NUMBERS, ledger::Ledger, turn::Turn};
use crate::{codes, words::words};

words! {
    /// What is counted.
    Budget {
        /// Rounds of planning.
        Iterations = "iterations",
        /// Calls of subagents.
        SubagentCalls = "subagent_calls",
        /// Time that went by, in milliseconds.
        WallTime = "wall_time_ms",
    }
}

/// One number for each budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amounts([u64; 3]);

impl Amounts {
    /// So many iterations, subagent calls and milliseconds.
    #[must_use]
    pub const fn new(iterations: u64, subagent_calls: u64, wall_time_ms: u64) -> Self {
        Self([iterations, subagent_calls, wall_time_ms])
    }

    /// The number for a budget.
    ///
    /// ```
    /// use adjudicate_core::deliberate::{Amounts, Budget};
    /// assert_eq!(Amounts::new(5, 8, 300_000).of(Budget::SubagentCalls), 8);
    /// ```
    #[must_use]
    pub const fn of(self, budget: Budget) -> u64 {
        let [iterations, calls, time] = self.0;
        match budget {
            Budget::Iterations => iterations,
            Budget::SubagentCalls => calls,
            Budget::WallTime => time,
        }
    }

    /// Puts a number in the place of another.
    pub(super) fn set(&mut self, place: usize, amount: u64) {
        if let Some(slot) = self.0.get_mut(place) {
            *slot = amount;
        }
    }

    /// Both, budget by budget; what is beyond all counting stays there.
    fn plus(self, other: Self) -> Self {
        self.with(other, u64::saturating_add)
    }

    fn with(mut self, other: Self, join: fn(u64, u64) -> u64) -> Self {
        for (one, more) in self.0.iter_mut().zip(other.0) {
            *one = join(*one, more);
        }
        self
    }
}

impl Budget {
    /// What a stop report calls it.
    pub(super) const fn consumed_as(self) -> &'static str {
        match self {
            Self::Iterations | Self::SubagentCalls => self.as_str(),
            Self::WallTime => "wall_time",
        }
    }
}

/// What a switch of strategy allows, or what is left of it: the budgets that the phase after it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseBudget {
    /// Rounds of planning.
    pub iterations: u64,
    /// Calls of subagents.
    pub subagent_calls: u64,
}

impl PhaseBudget {
    /// What is left of it after so much was used.
    pub(super) const fn left(self, used: Amounts) -> Self {
        Self {
            iterations: self.iterations.saturating_sub(used.of(Budget::Iterations)),
            subagent_calls: self.subagent_calls.saturating_sub(used.of(Budget::SubagentCalls)),
        }
    }

    /// Both numbers, under these names.
    pub(super) fn to_json(self, names: [&str; 2]) -> String {
        let mut out = String::new();
        let mut members = Members::open(&mut out);
        for (name, number) in names.into_iter().zip([self.iterations, self.subagent_calls]) {
            members.count(name, number);
        }
        members.close();
        out
    }
}

/// What the members of a ledger call the budgets' ends, in the order of [`Budget`].
const LIMITS: &[Field] = &[
    optional("max_iterations", Form::Count),
    optional("max_subagent_calls", Form::Count),
    optional("max_wall_time_ms", Form::Count),
];

/// How far each budget goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    budgets: Amounts,
    overrides: [Option<u64>; 3],
}

impl Limits {
    pub(super) const fn new() -> Self {
        Self { budgets: NUMBERS.budgets, overrides: [None; 3] }
    }

    /// Takes what `budgets` says.
    pub(super) fn read_budgets(&mut self, object: Node<'_>) -> Result<(), Error> {
        read_object(object, LIMITS, &mut |at, number| {
            self.budgets.set(at, count(number).unwrap_or_default());
            Ok(())
        })
    }

    /// Takes what `overrides` says.
    pub(super) fn read_overrides(&mut self, object: Node<'_>) -> Result<(), Error> {
        read_object(object, LIMITS, &mut |at, number| {
            if let Some(slot) = self.overrides.get_mut(at) {
                *slot = count(number);
            }
            Ok(())
        })
    }

    /// Checks that an override does not ask for more iterations than it may; the path begins at the ledger.
    pub(super) fn check(&self) -> Result<(), Error> {
        let budget = self.budgets.of(Budget::Iterations);
        match self.overrides {
            [Some(asked), ..] if asked > budget.saturating_mul(NUMBERS.most_of_iterations) => {
                let message = format!("`{asked}` iterations are more than twice the budget of {budget}");
                Err(Error::new(codes::INVALID_VALUE, message).at("/overrides/max_iterations"))
            }
            _ => Ok(()),
        }
    }

    /// What holds once overrides are in the place of budgets.
    pub(super) fn amounts(&self) -> Amounts {
        let mut amounts = self.budgets;
        for (place, asked) in self.overrides.into_iter().enumerate() {
            if let Some(asked) = asked {
                amounts.set(place, asked);
            }
        }
        amounts
    }

    /// Where the ledger says, or could say, how far a budget goes.
    pub(super) fn path(&self, budget: Budget) -> String {
        let is_overridden = self.overrides.get(budget as usize).is_some_and(Option::is_some);
        let object = if is_overridden { "overrides" } else { "budgets" };
        let name = LIMITS.get(budget as usize).map_or("", Field::name);
        format!("/{object}/{name}")
    }
}

/// What was used of the budgets, and how far they go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Account {
    pub used: Amounts,
    pub max: Amounts,
}

impl Account {
    /// Counts iterations since the last answer, calls and time since the beginning; a switch that was made adds its bonus.
    pub(super) fn of(ledger: &Ledger<'_>) -> Self {
        let mut used = total(&ledger.turns);
        let since_answer = ledger.turns_after(ledger.answered);
        used.set(Budget::Iterations as usize, total(since_answer).of(Budget::Iterations));
        let max = ledger.limits.amounts();
        Self { used, max: if ledger.switch.is_some() { max.plus(NUMBERS.bonus) } else { max } }
    }

    /// What is left of each budget.
    pub(super) fn left(&self) -> Amounts {
        self.max.with(self.used, u64::saturating_sub)
    }

    /// Whether all of a budget was used.
    pub(super) const fn is_exhausted(&self, budget: Budget) -> bool {
        self.used.of(budget) >= self.max.of(budget)
    }
}

/// What is left of the phase after a switch of strategy, while its cap holds: an answer after the switch lifts it.
pub(super) fn phase_left(ledger: &Ledger<'_>) -> Option<PhaseBudget> {
    let switched = ledger.switch?.after_turn;
    let is_lifted = ledger.answered.is_some_and(|answered| answered > switched);
    (!is_lifted).then(|| NUMBERS.phase.left(total(ledger.turns_after(Some(switched)))))
}

/// What turns used together.
pub(super) fn total(turns: &[Turn<'_>]) -> Amounts {
    turns.iter().fold(Amounts::default(), |all, turn| all.plus(turn.consumed))
}
