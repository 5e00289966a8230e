//! What follows from a ledger before any gate looks at it.

use alloc::vec::Vec;

use super::{
    budgets::Account,
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
}
