//! Which items or members of a value have been evaluated.

use alloc::vec::Vec;

/// The places of items or members that some keyword has said something about.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    all: bool,
    /// The first places; most values have no more.
    first: u64,
    bits: Vec<u64>,
}

impl Marks {
    pub(super) fn mark(&mut self, place: usize) {
        let Some(place) = place.checked_sub(64) else {
            self.first |= 1 << place;
            return;
        };
        if self.bits.len() <= place / 64 {
            self.bits.resize(place / 64 + 1, 0);
        }
        if let Some(word) = self.bits.get_mut(place / 64) {
            *word |= 1 << (place % 64);
        }
    }

    pub(super) const fn mark_all(&mut self) {
        self.all = true;
    }

    pub(super) fn has(&self, place: usize) -> bool {
        let word = match place.checked_sub(64) {
            None => self.first,
            Some(place) => self.bits.get(place / 64).copied().unwrap_or_default(),
        };
        self.all || word >> (place % 64) & 1 == 1
    }

    /// Adds what `other` has.
    pub(super) fn join(&mut self, other: &Self) {
        self.all |= other.all;
        self.first |= other.first;
        if self.bits.len() < other.bits.len() {
            self.bits.resize(other.bits.len(), 0);
        }
        for (word, more) in self.bits.iter_mut().zip(&other.bits) {
            *word |= more;
        }
    }

    /// How much there is to join.
    pub(super) fn len(&self) -> usize {
        self.bits.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_join() {
        let (mut left, mut right) = (Marks::default(), Marks::default());
        left.mark(3);
        right.mark(130);
        left.join(&right);
        assert_eq!([3, 130, 131, 4].map(|place| left.has(place)), [true, true, false, false]);
        right.mark_all();
        left.join(&right);
        assert!(left.has(10_000));
    }
}
