//! Many lists of small numbers in two flat vectors.

use alloc::{vec, vec::Vec};
use core::ops::Range;

/// Lists of numbers, indexed by number.
#[derive(Clone, Debug)]
pub(super) struct Lists {
    /// The start of each list in `values`, and the end of the last one.
    starts: Vec<u32>,
    values: Vec<u32>,
}

impl Lists {
    /// Builds `len` lists from `(list, value)` pairs; each list keeps the order given.
    pub(super) fn from_pairs(len: usize, pairs: &[(u32, u32)]) -> Self {
        let mut starts = vec![0_u32; len + 1];
        for (list, _) in pairs {
            if let Some(count) = starts.get_mut(*list as usize + 1) {
                *count += 1;
            }
        }
        let mut total = 0;
        for start in &mut starts {
            total += *start;
            *start = total;
        }
        let mut free = starts.clone();
        let mut values = vec![0; pairs.len()];
        for (list, value) in pairs {
            let Some(place) = free.get_mut(*list as usize) else { continue };
            if let Some(slot) = values.get_mut(*place as usize) {
                *slot = *value;
            }
            *place += 1;
        }
        Self { starts, values }
    }

    /// Builds sets instead: ascending, without repeats. Every value is below `values`.
    pub(super) fn from_set_pairs(len: usize, values: usize, pairs: &[(u32, u32)]) -> Self {
        let swapped: Vec<(u32, u32)> = pairs.iter().map(|(list, value)| (*value, *list)).collect();
        let mut last = vec![u32::MAX; len];
        let mut ordered = Vec::with_capacity(pairs.len());
        for (value, list) in Self::from_pairs(values, &swapped).pairs() {
            if let Some(last) = last.get_mut(list as usize)
                && *last != value
            {
                *last = value;
                ordered.push((list, value));
            }
        }
        Self::from_pairs(len, &ordered)
    }

    /// The inverse: for each value below `values`, the lists that contain it.
    pub(super) fn transposed(&self, values: usize) -> Self {
        Self::from_pairs(values, &self.pairs().map(|(list, value)| (value, list)).collect::<Vec<_>>())
    }

    /// The number of lists.
    pub(super) fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The values of a list.
    pub(super) fn at(&self, list: u32) -> &[u32] {
        self.values.get(self.range(list)).unwrap_or_default()
    }

    /// The position of a list in the flat vector.
    pub(super) fn range(&self, list: u32) -> Range<usize> {
        let bound = |at: usize| self.starts.get(at).copied().unwrap_or_default() as usize;
        bound(list as usize)..bound(list as usize + 1)
    }

    /// All lists and values, in order.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (u32, u32)> {
        // Below 4 billion, because each value costs some bytes of the document or some steps.
        let lists = 0..u32::try_from(self.len()).unwrap_or(u32::MAX);
        lists.flat_map(|list| self.at(list).iter().map(move |value| (list, *value)))
    }

    /// The number of values in all lists.
    pub(super) fn total(&self) -> usize {
        self.values.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_the_order_given_and_sets_do_not() {
        let pairs = [(2, 1), (0, 3), (2, 0), (0, 3), (2, 1)];
        let lists = Lists::from_pairs(3, &pairs);
        assert_eq!([lists.at(0), lists.at(1), lists.at(2), lists.at(3)], [&[3, 3][..], &[], &[1, 0, 1], &[]]);
        let sets = Lists::from_set_pairs(3, 4, &pairs);
        assert_eq!([sets.at(0), sets.at(1), sets.at(2)], [&[3][..], &[], &[0, 1]]);
        assert_eq!(sets.transposed(4).pairs().collect::<Vec<_>>(), [(0, 2), (1, 2), (3, 0)]);
        assert_eq!((Lists::from_pairs(0, &[]).len(), Lists::from_pairs(0, &[]).total()), (0, 0));
    }
}
