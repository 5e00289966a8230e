//! What schemas said of values: each is asked once, where references branch to the same schema again and again.
//!
//! Ordinary validation does not come here: nothing is kept before far more schemas have been applied than the instance has
//! values. From then on verdicts are kept, as many as there is room for, and with each what it evaluates. Schemas
//! that branch in each of many levels, on one value or on all that it consists of, so cost a few verdicts for each level.

use alloc::{boxed::Box, vec::Vec};
use core::mem;

use super::{key::FACTOR, marks::Marks, run::Run, tree::Id};
use crate::json::Node;

/// How many schemas may be applied to an instance before verdicts are kept, and for each name and value of it more.
const PATIENCE: usize = 1 << 14;
const PATIENCE_EACH: usize = 4;

/// What else a violation takes from that: to note one takes as long as to apply some schemas.
const PATIENCE_OF_VIOLATION: usize = 32;

/// How much room there is for verdicts at first, and how much there may be: powers of two. Half of it stays free.
const ROOM: usize = 1 << 9;
const MOST_ROOM: usize = 1 << 16;

/// How many words may be kept with all of them.
const MOST_WORDS: usize = 1 << 19;

/// The verdicts that are kept.
#[derive(Default)]
pub(super) struct Recall {
    /// How many more schemas may be applied before any is.
    patience: usize,
    /// Each at the place that its question has, or at the first free one behind that.
    verdicts: Vec<Option<Verdict>>,
    /// How many they are, and how many words are kept with them.
    count: usize,
    words: usize,
    /// What had been evaluated before schemas were applied that are being looked at.
    before: Vec<Marks>,
}

/// What a schema said of a value.
struct Verdict {
    question: Question,
    /// Where dynamic references led.
    scope: Box<[Id]>,
    holds: bool,
    /// What it evaluates.
    marks: Marks,
}

/// Which schema was asked, of which value, and what else was to be found out.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Question {
    id: Id,
    position: u32,
    /// Whether all that is wrong was noted.
    collects: bool,
    /// Whether someone asks what is evaluated.
    marks: bool,
}

impl Recall {
    pub(super) fn new(instance: Node<'_>) -> Self {
        Self { patience: PATIENCE + PATIENCE_EACH * instance.extent(), ..Self::default() }
    }

    /// Whether verdicts are kept by now.
    #[inline]
    pub(super) const fn begins(&mut self) -> bool {
        match self.patience.checked_sub(1) {
            Some(patience) => self.patience = patience,
            None => return true,
        }
        false
    }

    /// A violation is noted.
    pub(super) const fn note(&mut self) {
        self.patience = self.patience.saturating_sub(PATIENCE_OF_VIOLATION);
    }
}

impl Question {
    /// A number that is likely another one for another question.
    fn fingerprint(self, scope: &[Id]) -> usize {
        let words = [self.id, self.position, u32::from(self.collects) << 1 | u32::from(self.marks)];
        let words = words.iter().chain(scope);
        let mixed = words.fold(0_u64, |state, word| {
            let state = (state ^ u64::from(*word)).wrapping_mul(FACTOR);
            state ^ state >> 29
        });
        mixed as usize
    }
}

impl Recall {
    /// Where the verdict on a question is, or would be; and how many places were looked at.
    fn place(&self, question: Question, scope: &[Id]) -> (usize, usize) {
        let mask = self.verdicts.len().wrapping_sub(1);
        let wanted = question.fingerprint(scope);
        let is_here = |place: usize| match self.verdicts.get(place & mask) {
            Some(Some(verdict)) => verdict.question == question && *verdict.scope == *scope,
            _ => true,
        };
        let tries =
            (0..self.verdicts.len()).find(|tries| is_here(wanted.wrapping_add(*tries))).unwrap_or_default();
        (wanted.wrapping_add(tries) & mask, tries + 1)
    }

    /// Makes room for one more verdict with so many words. Where that takes more than there may be, all others are let go.
    fn make_room(&mut self, words: usize) {
        self.words += words;
        self.count += 1;
        if self.count > MOST_ROOM / 2 || self.words > MOST_WORDS {
            self.verdicts.clear();
            (self.count, self.words) = (1, words);
        }
        if self.count * 2 > self.verdicts.len() {
            let room = (self.verdicts.len() * 2).max(ROOM);
            let verdicts = mem::take(&mut self.verdicts);
            self.verdicts.resize_with(room, || None);
            for verdict in verdicts.into_iter().flatten() {
                let (place, _) = self.place(verdict.question, &verdict.scope);
                if let Some(slot) = self.verdicts.get_mut(place) {
                    *slot = Some(verdict);
                }
            }
        }
    }
}

impl<'i> Run<'_, 'i, '_> {
    const fn question(&self, id: Id, value: Node<'i>, seen: Option<&Marks>) -> Question {
        Question { id, position: value.position() as u32, collects: self.collects, marks: seen.is_some() }
    }

    /// What a schema said of a value, if that is still known. If not, it is going to be [kept](Self::keep).
    #[cold]
    #[inline(never)]
    pub(super) fn recall(&mut self, id: Id, value: Node<'i>, seen: Option<&mut Marks>) -> Option<bool> {
        let question = self.question(id, value, seen.as_deref());
        let (place, tries) = self.recall.place(question, &self.scope);
        self.spend(tries + self.scope.len());
        let known = self.recall.verdicts.get(place).and_then(Option::as_ref);
        match (known, seen) {
            (Some(known), None) => Some(known.holds),
            (Some(known), Some(seen)) => {
                seen.join(&known.marks);
                let (holds, words) = (known.holds, known.marks.len());
                self.spend(words);
                Some(holds)
            }
            (None, Some(seen)) => {
                self.recall.before.push(mem::take(seen));
                None
            }
            (None, None) => None,
        }
    }

    /// Keeps what a schema said of a value, and joins what it evaluates with what had been evaluated before.
    #[cold]
    #[inline(never)]
    pub(super) fn keep(&mut self, id: Id, value: Node<'i>, holds: bool, seen: Option<&mut Marks>) {
        let question = self.question(id, value, seen.as_deref());
        let mut marks = Marks::default();
        if let Some(seen) = seen {
            marks = mem::replace(seen, self.recall.before.pop().unwrap_or_default());
            seen.join(&marks);
        }
        let words = marks.len() + self.scope.len();
        // Nobody asks any more once a budget has run out.
        if !self.spend(1 + words) || words > MOST_WORDS {
            return;
        }
        self.recall.make_room(words);
        let (place, tries) = self.recall.place(question, &self.scope);
        self.spend(tries);
        if let Some(slot) = self.recall.verdicts.get_mut(place) {
            *slot = Some(Verdict { question, scope: self.scope.as_slice().into(), holds, marks });
        }
    }
}
