//! Evaluated annotations: which items or fields of a value keywords have evaluated.

use alloc::vec::Vec;

/// The indices of evaluated items or fields.
#[derive(Clone, Debug, Default)]
pub(super) struct Annotations {
    all: bool,
    /// The first 64 indices; most values have no more.
    first: u64,
    bits: Vec<u64>,
}

impl Annotations {
    pub(super) fn add(&mut self, index: usize) {
        let Some(index) = index.checked_sub(64) else {
            self.first |= 1 << index;
            return;
        };
        if self.bits.len() <= index / 64 {
            self.bits.resize(index / 64 + 1, 0);
        }
        if let Some(word) = self.bits.get_mut(index / 64) {
            *word |= 1 << (index % 64);
        }
    }

    pub(super) const fn add_all(&mut self) {
        self.all = true;
    }

    pub(super) fn has(&self, index: usize) -> bool {
        let word = match index.checked_sub(64) {
            None => self.first,
            Some(index) => self.bits.get(index / 64).copied().unwrap_or_default(),
        };
        self.all || word >> (index % 64) & 1 == 1
    }

    /// Adds the indices of `other`.
    pub(super) fn merge(&mut self, other: &Self) {
        self.all |= other.all;
        self.first |= other.first;
        if self.bits.len() < other.bits.len() {
            self.bits.resize(other.bits.len(), 0);
        }
        for (word, more) in self.bits.iter_mut().zip(&other.bits) {
            *word |= more;
        }
    }

    /// The cost of a join, in words.
    pub(super) fn len(&self) -> usize {
        self.bits.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn annotations_merge() {
        let (mut left, mut right) = (Annotations::default(), Annotations::default());
        left.add(3);
        right.add(130);
        left.merge(&right);
        assert_eq!([3, 130, 131, 4].map(|index| left.has(index)), [true, true, false, false]);
        right.add_all();
        left.merge(&right);
        assert!(left.has(10_000));
    }
}
