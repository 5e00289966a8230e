//! Slots whose records cannot be written: known by whoever asks whether calls will be answered, and tried again until they can.

use std::{
    collections::{BTreeMap, VecDeque},
    time::{Duration, Instant},
};

use adjudicate_core::Error;

/// How long after a failure it is tried whether records can be written again.
const AGAIN: Duration = Duration::from_secs(1);

/// The slots, the one that is to be tried next first.
#[derive(Debug, Default)]
pub(super) struct Unwritten {
    slots: VecDeque<Trouble>,
    /// When the first of them is tried.
    at: Option<Instant>,
}

#[derive(Debug)]
struct Trouble {
    slot: String,
    error: Error,
    /// How large the largest record was that could not be written: where there is room for less, there is none.
    bytes: usize,
}

/// What is to be tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Trial {
    pub(super) slot: String,
    /// How many bytes a record has.
    pub(super) bytes: usize,
}

impl Unwritten {
    /// A record of so many bytes could not be written.
    pub(super) fn fail(&mut self, slot: &str, error: &Error, bytes: usize) {
        match self.slots.iter_mut().find(|trouble| trouble.slot == slot) {
            Some(trouble) => (trouble.error, trouble.bytes) = (error.clone(), trouble.bytes.max(bytes)),
            None => self.slots.push_back(Trouble { slot: slot.to_owned(), error: error.clone(), bytes }),
        }
        self.at.get_or_insert_with(|| Instant::now() + AGAIN);
    }

    /// A record of the slot was written.
    pub(super) fn succeed(&mut self, slot: &str) {
        self.slots.retain(|trouble| trouble.slot != slot);
        if self.slots.is_empty() {
            self.at = None;
        }
    }

    /// Why records cannot be written, by slot.
    pub(super) fn errors(&self) -> BTreeMap<String, Error> {
        self.slots.iter().map(|trouble| (trouble.slot.clone(), trouble.error.clone())).collect()
    }

    /// Why those of one slot cannot.
    pub(super) fn error(&self, slot: &str) -> Option<Error> {
        self.slots.iter().find(|trouble| trouble.slot == slot).map(|trouble| trouble.error.clone())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// When there is something to be tried.
    pub(super) const fn at(&self) -> Option<Instant> {
        self.at
    }

    /// What is to be tried now.
    pub(super) fn due(&self, now: Instant) -> Option<Trial> {
        let first = self.slots.front().filter(|_| self.at.is_some_and(|at| at <= now))?;
        Some(Trial { slot: first.slot.clone(), bytes: first.bytes })
    }

    /// What came of it. Where one slot's records can be written those of another one perhaps can, too, so that is tried at once;
    /// where they cannot, the other one is the next to be tried.
    pub(super) fn tried(&mut self, trial: &Trial, outcome: Result<(), Error>) {
        match outcome {
            Ok(()) => {
                self.succeed(&trial.slot);
                self.at = (!self.slots.is_empty()).then(Instant::now);
            }
            Err(error) => {
                self.fail(&trial.slot, &error, trial.bytes);
                if self.slots.front().is_some_and(|first| first.slot == trial.slot) {
                    self.slots.rotate_left(1);
                }
                self.at = Some(Instant::now() + AGAIN);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use adjudicate_core::ErrorCode;

    use super::*;

    #[test]
    fn slots_are_tried_in_turn_and_at_once_when_one_can_be_written() {
        let full = Error::new(ErrorCode::StoreFault, "full");
        let mut unwritten = Unwritten::default();
        let later = |unwritten: &Unwritten| unwritten.due(Instant::now() + 2 * AGAIN).map(|trial| trial.slot);
        for (slot, bytes) in [("a", 10), ("b", 20), ("a", 30), ("a", 1)] {
            unwritten.fail(slot, &full, bytes);
        }
        assert_eq!(unwritten.due(Instant::now()), None);
        let first = unwritten.due(Instant::now() + 2 * AGAIN).unwrap();
        assert_eq!(first, Trial { slot: "a".to_owned(), bytes: 30 });
        let broken = Error::new(ErrorCode::StoreFault, "broken");
        unwritten.tried(&first, Err(broken.clone()));
        assert_eq!(later(&unwritten).as_deref(), Some("b"));
        let errors = unwritten.errors();
        assert_eq!((errors.len(), &errors["a"], &errors["b"]), (2, &broken, &full));
        unwritten.tried(&Trial { slot: "b".to_owned(), bytes: 20 }, Ok(()));
        assert_eq!(unwritten.due(Instant::now()).map(|trial| trial.slot).as_deref(), Some("a"));
        unwritten.succeed("a");
        assert_eq!((unwritten.at(), later(&unwritten), unwritten.is_empty()), (None, None, true));
        // What was written meanwhile is no trouble any more, whatever was tried before.
        unwritten.tried(&first, Ok(()));
        assert!(unwritten.is_empty() && unwritten.at().is_none());
    }
}
