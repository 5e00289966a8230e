//! Slots whose records cannot be written. Health checks report them, and the recorder tries them again.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use adjudicate_core::Error;

/// The time from a failure to the next trial.
const AGAIN: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
pub(super) struct Unwritten {
    slots: BTreeMap<String, UnwritableSlot>,
    turns: u64,
    /// The time of the next trial.
    at: Option<Instant>,
}

#[derive(Debug)]
struct UnwritableSlot {
    error: Error,
    /// The size of the largest record that could not be written. A trial needs space for so many bytes.
    bytes: usize,
    /// The slot with the lowest number is tried next.
    turn: u64,
}

/// A test of the store with the size of a slot's records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trial {
    pub(super) slot: String,
    pub(super) bytes: usize,
}

impl Unwritten {
    /// Notes that a record of this size could not be written.
    pub(super) fn fail(&mut self, slot: &str, error: &Error, bytes: usize) {
        self.turns += 1;
        let new = || UnwritableSlot { error: error.clone(), bytes, turn: self.turns };
        let problem = self.slots.entry(slot.to_owned()).or_insert_with(new);
        (problem.error, problem.bytes) = (error.clone(), problem.bytes.max(bytes));
        self.at.get_or_insert_with(|| Instant::now() + AGAIN);
    }

    /// Notes that a record of the slot was written.
    pub(super) fn succeed(&mut self, slot: &str) {
        self.slots.remove(slot);
        if self.slots.is_empty() {
            self.at = None;
        }
    }

    pub(super) fn errors(&self) -> BTreeMap<String, Error> {
        self.slots.iter().map(|(slot, problem)| (slot.clone(), problem.error.clone())).collect()
    }

    pub(super) fn error(&self, slot: &str) -> Option<Error> {
        self.slots.get(slot).map(|problem| problem.error.clone())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    pub(super) const fn at(&self) -> Option<Instant> {
        self.at
    }

    /// Returns the trial that is due now, among the slots for which `applies` returns true.
    pub(super) fn due(&mut self, now: Instant, applies: impl Fn(&str) -> bool) -> Option<Trial> {
        if self.at.is_none_or(|at| at > now) {
            return None;
        }
        let applying = self.slots.iter().filter(|(slot, _)| applies(slot));
        let next = applying.min_by_key(|(_, problem)| problem.turn);
        if next.is_none() {
            self.at = Some(now + AGAIN);
        }
        next.map(|(slot, problem)| Trial { slot: slot.clone(), bytes: problem.bytes })
    }

    /// Stores the outcome of a trial. After a success another slot may be writable, too, so the next trial is due at once. After a
    /// failure another slot is next.
    pub(super) fn tried(&mut self, trial: &Trial, outcome: Result<(), Error>) {
        let now = Instant::now();
        match outcome {
            Ok(()) => {
                self.succeed(&trial.slot);
                self.at = (!self.slots.is_empty()).then_some(now);
            }
            Err(error) => {
                self.fail(&trial.slot, &error, trial.bytes);
                if let Some(tried) = self.slots.get_mut(&trial.slot) {
                    tried.turn = self.turns;
                }
                self.at = Some(now + AGAIN);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes;

    #[test]
    fn slots_are_tried_in_turn_and_at_once_when_one_can_be_written() {
        let full = Error::new(codes::STORE_FAULT, "full");
        let mut unwritten = Unwritten::default();
        let due = |unwritten: &mut Unwritten, at: Instant| unwritten.due(at, |_| true);
        let later =
            |unwritten: &mut Unwritten| due(unwritten, Instant::now() + 2 * AGAIN).map(|trial| trial.slot);
        for (slot, bytes) in [("a", 10), ("b", 20), ("a", 30), ("a", 1)] {
            unwritten.fail(slot, &full, bytes);
        }
        assert_eq!(due(&mut unwritten, Instant::now()), None);
        let first = due(&mut unwritten, Instant::now() + 2 * AGAIN).unwrap();
        assert_eq!(first, Trial { slot: "a".to_owned(), bytes: 30 });
        let broken = Error::new(codes::STORE_FAULT, "broken");
        unwritten.tried(&first, Err(broken.clone()));
        assert_eq!(later(&mut unwritten).as_deref(), Some("b"));
        let errors = unwritten.errors();
        assert_eq!((errors.len(), &errors["a"], &errors["b"]), (2, &broken, &full));
        unwritten.tried(&Trial { slot: "b".to_owned(), bytes: 20 }, Ok(()));
        assert_eq!(due(&mut unwritten, Instant::now()).map(|trial| trial.slot).as_deref(), Some("a"));
        unwritten.succeed("a");
        assert_eq!((unwritten.at(), later(&mut unwritten), unwritten.is_empty()), (None, None, true));
        // A slot that was written meanwhile is no longer listed, whatever the outcome of an earlier trial.
        unwritten.tried(&first, Ok(()));
        assert!(unwritten.is_empty() && unwritten.at().is_none());
    }

    #[test]
    fn slots_with_queued_records_get_no_trial_until_later() {
        let full = Error::new(codes::STORE_FAULT, "full");
        let mut unwritten = Unwritten::default();
        for slot in ["queued", "durable"] {
            unwritten.fail(slot, &full, 1);
        }
        let then = Instant::now() + 2 * AGAIN;
        let trial = unwritten.due(then, |slot| slot != "queued").unwrap();
        assert_eq!(trial.slot, "durable");
        unwritten.tried(&trial, Ok(()));
        assert_eq!(unwritten.due(then, |slot| slot != "queued"), None);
        assert_eq!((unwritten.at(), unwritten.is_empty()), (Some(then + AGAIN), false));
        assert_eq!(unwritten.due(then + AGAIN, |_| true).unwrap().slot, "queued");
    }
}
