//! The declaration of a failed strategy and the budget of the next one (PAO, forced strategy switch).

use alloc::{borrow::ToOwned as _, string::String};

use adjudicate_lang::json::object::ObjectWriter;

use super::{numbers::NUMBERS, reason::PlanningReason};
use crate::documents::{
    deliberation::{PhaseBudget, ReasonCode},
    ledger::Ledger,
};

/// A switch of strategy: `{trigger, current_strategy, new_budget{max_iterations, max_subagent_calls}}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    trigger: ReasonCode,
    current_strategy: Option<String>,
}

impl Switch {
    /// The switch for these reasons; the first one is its trigger.
    pub(super) fn new(ledger: &Ledger<'_>, reasons: &[PlanningReason]) -> Option<Self> {
        let trigger = reasons.first()?.code();
        let current_strategy = ledger.strategy_at(ledger.last_number()).map(str::to_owned);
        Some(Self { trigger, current_strategy })
    }

    /// The first sign of stagnation, otherwise [`ReasonCode::LowNovelty`].
    #[must_use]
    pub const fn trigger(&self) -> ReasonCode {
        self.trigger
    }

    /// The failed strategy: the last one that a turn names.
    #[must_use]
    pub fn current_strategy(&self) -> Option<&str> {
        self.current_strategy.as_deref()
    }

    /// The budget of the next strategy.
    #[must_use]
    pub const fn new_budget(&self) -> PhaseBudget {
        NUMBERS.phase
    }

    pub(super) fn to_json(&self) -> String {
        let mut out = String::new();
        let mut members = ObjectWriter::open(&mut out);
        members.text("trigger", Some(self.trigger.as_str()));
        match &self.current_strategy {
            Some(strategy) => members.text("current_strategy", Some(strategy)),
            None => members.json("current_strategy", Some("null")),
        }
        members
            .json("new_budget", Some(&self.new_budget().to_json(["max_iterations", "max_subagent_calls"])));
        members.close();
        out
    }
}
