//! The facts of a ledger: everything that gates look up.

use alloc::vec::Vec;

use super::{
    budgets::Account,
    duties,
    stagnation::{self, Sign},
};
use crate::documents::{deliberation::Duty, ledger::Ledger};

/// A ledger with its counts and signs.
#[derive(Debug)]
pub(super) struct LedgerFacts<'l, 'a> {
    pub ledger: &'l Ledger<'a>,
    pub account: Account,
    /// The signs of stagnation, in the order of the triggers.
    pub signs: Vec<Sign>,
    /// The duties that are due and open.
    pub duties: Vec<Duty>,
}

impl<'l, 'a> LedgerFacts<'l, 'a> {
    pub(super) fn new(ledger: &'l Ledger<'a>) -> Self {
        Self {
            ledger,
            account: Account::new(ledger),
            signs: stagnation::signs(ledger),
            duties: duties::open(ledger),
        }
    }
}
