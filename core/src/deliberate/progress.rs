//! The progress of a turn, compared with the turns before it.

use alloc::string::String;
use core::cmp::Ordering;

use adjudicate_lang::{Decimal, document::Id, order};

use super::numbers::NUMBERS;
use crate::documents::ledger::{Ledger, Turn};

/// A turn with the turns before it.
#[derive(Clone, Copy)]
pub(super) struct TurnProgress<'l, 'a> {
    ledger: &'l Ledger<'a>,
    earlier: &'l [Turn<'a>],
    turn: &'l Turn<'a>,
}

impl<'l, 'a> TurnProgress<'l, 'a> {
    /// The turn with this number, from 1.
    pub(super) fn new(ledger: &'l Ledger<'a>, number: usize) -> Option<Self> {
        let (turn, earlier) = ledger.turns.get(..number)?.split_last()?;
        Some(Self { ledger, earlier, turn })
    }

    /// Returns true if the turn reduces uncertainty by less than that many percent. Without uncertainty, nothing can be reduced.
    pub(super) fn takes_less_than(self, percent: i128) -> bool {
        self.earlier.last().is_some_and(|before| {
            let left = 100 - percent;
            Decimal::sign_of_sum(&[(100, self.turn.uncertainty.0), (-left, before.uncertainty.0)])
                == Ordering::Greater
        })
    }

    /// Returns true if the turn has an evidence id that is new in the ledger.
    pub(super) fn has_new_evidence(self) -> bool {
        let known = self.earlier.iter().map(|turn| &*turn.evidence_ids);
        has_new(&self.turn.evidence_ids, known.chain([&*self.ledger.initial_evidence]))
    }

    fn has_new_file(self) -> bool {
        has_new(&self.turn.files, self.earlier.iter().map(|turn| &*turn.files))
    }

    /// Returns true if the turn falsifies a hypothesis, or leaves fewer conflicts open than the turn before it.
    pub(super) fn settles(self) -> bool {
        let open = |turn: &Turn<'_>| order::names(turn.conflicts_open.iter().map(|id| id.0)).len();
        !self.turn.falsified.is_empty()
            || self.earlier.last().is_some_and(|before| open(self.turn) < open(before))
    }

    /// Returns true if the turn has less uncertainty or more confidence than the turn before it, or has lost its blocker.
    fn improves(self) -> bool {
        self.earlier.last().is_some_and(|before| {
            before.uncertainty.0 > self.turn.uncertainty.0
                || self.turn.confidence.0 > before.confidence.0
                || (before.blocker.is_some() && self.turn.blocker.is_none())
        })
    }
}

/// Returns true if a list has an item that no other list has.
fn has_new<'l, 'a: 'l>(items: &[Id<'a>], known: impl Iterator<Item = &'l [Id<'a>]>) -> bool {
    if items.is_empty() {
        return false;
    }
    let known = order::names(known.flatten().map(|item| item.0));
    items.iter().any(|item| !known.contains(item.0))
}

/// The pointer to the last turn if it is fruitless: no new evidence or file, nothing settled, nothing improved.
pub(super) fn fruitless_turn(ledger: &Ledger<'_>) -> Option<String> {
    let is_judged = ledger.last_number() >= NUMBERS.progress_from_turn;
    let step = TurnProgress::new(ledger, ledger.turns.len()).filter(|_| is_judged)?;
    let makes_progress = step.improves() || step.settles() || step.has_new_evidence() || step.has_new_file();
    (!makes_progress).then(|| ledger.last_turn_path())
}
