//! Progress of a turn: what it adds to the ledger, or takes from what is open, against the turns before it.

use alloc::string::String;
use core::cmp::Ordering;

use adjudicate_lang::{
    Decimal,
    json::{Node, object::texts},
    order,
};

use super::{gates::NUMBERS, ledger::Ledger, turn::Turn};

/// A turn beside the turns before it.
#[derive(Clone, Copy)]
pub(super) struct Step<'l, 'a> {
    ledger: &'l Ledger<'a>,
    earlier: &'l [Turn<'a>],
    turn: &'l Turn<'a>,
}

impl<'l, 'a> Step<'l, 'a> {
    /// The turn of that number, from 1.
    pub(super) fn new(ledger: &'l Ledger<'a>, number: usize) -> Option<Self> {
        let (turn, earlier) = ledger.turns.get(..number)?.split_last()?;
        Some(Self { ledger, earlier, turn })
    }

    /// Returns whether the turn takes less than that many percent of the uncertainty before it. Without uncertainty there is nothing
    /// to take.
    pub(super) fn takes_less_than(self, percent: i128) -> bool {
        self.earlier.last().is_some_and(|before| {
            let left = 100 - percent;
            Decimal::sign_of_sum(&[(100, self.turn.uncertainty), (-left, before.uncertainty)])
                == Ordering::Greater
        })
    }

    /// Returns whether the turn has an evidence id that is new in the ledger.
    pub(super) fn has_new_evidence(self) -> bool {
        let known = self.earlier.iter().map(|turn| turn.evidence).chain([self.ledger.initial_evidence]);
        has_new(self.turn.evidence, known)
    }

    fn has_new_file(self) -> bool {
        has_new(self.turn.files, self.earlier.iter().map(|turn| turn.files))
    }

    /// Returns whether the turn falsifies a hypothesis or leaves fewer conflicts open than the turn before it.
    pub(super) fn settles(self) -> bool {
        let open = |turn: &Turn<'_>| turn.conflicts.map_or(0, |ids| order::names(texts(ids)).len());
        self.turn.falsifies || self.earlier.last().is_some_and(|before| open(self.turn) < open(before))
    }

    /// Returns whether the turn is surer of itself than the turn before it, or rid of its blocker.
    fn improves(self) -> bool {
        self.earlier.last().is_some_and(|before| {
            before.uncertainty > self.turn.uncertainty
                || self.turn.confidence > before.confidence
                || (before.blocker.is_some() && self.turn.blocker.is_none())
        })
    }
}

/// Returns whether a list has an item that no other list has.
fn has_new<'a>(items: Option<Node<'a>>, known: impl Iterator<Item = Option<Node<'a>>>) -> bool {
    let items = items.map(texts).unwrap_or_default();
    if items.is_empty() {
        return false;
    }
    let known = order::names(known.flatten().flat_map(texts));
    items.iter().any(|item| !known.contains(item))
}

/// Pointer to the last turn, if it is fruitless: neither evidence nor a file is new, nothing is settled and nothing improves.
pub(super) fn fruitless_turn(ledger: &Ledger<'_>) -> Option<String> {
    let is_judged = ledger.last_number() >= NUMBERS.progress_from_turn;
    let step = Step::new(ledger, ledger.turns.len()).filter(|_| is_judged)?;
    let makes_progress = step.improves() || step.settles() || step.has_new_evidence() || step.has_new_file();
    (!makes_progress).then(|| ledger.last_turn_path())
}
