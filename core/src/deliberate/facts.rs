//! What follows from a ledger before any gate looks at it.

use alloc::vec::Vec;

use super::{
    budgets::{Account, Amounts, total},
    duties::{self, Duty},
    ledger::Ledger,
    stagnation::{self, Sign},
};

/// A ledger with what is counted and seen in it.
#[derive(Debug)]
pub(super) struct Facts<'l, 'a> {
    pub ledger: &'l Ledger<'a>,
    pub account: Account,
    /// The signs of stagnation, in the order of the triggers.
    pub signs: Vec<Sign>,
    /// What is due and not done.
    pub duties: Vec<Duty>,
}

impl<'l, 'a> Facts<'l, 'a> {
    pub(super) fn of(ledger: &'l Ledger<'a>) -> Self {
        Self {
            ledger,
            account: Account::of(ledger),
            signs: stagnation::signs(ledger),
            duties: duties::open(ledger),
        }
    }

    /// What was used since the switch, while its cap holds: an answer that came later lifts it.
    pub(super) fn capped_phase(&self) -> Option<Amounts> {
        let switched = self.ledger.switched?;
        let is_lifted = self.ledger.answered.is_some_and(|answered| answered > switched);
        (!is_lifted).then(|| total(self.ledger.turns_after(Some(switched))))
    }
}
