//! Sorting and sets of names.
//!
//! The standard sort is compiled anew for every type and every comparison, at several kilobytes of wasm each. Here
//! it is compiled once, over indices; everything in the crate that sorts goes through it.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    vec::Vec,
};
use core::{cmp::Ordering, mem, slice};

/// The indices below `len` in the order of what they stand for; equal ones keep their order.
pub(crate) fn sorted_indices(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    let mut merged = Vec::with_capacity(len);
    let mut width = 1;
    while width < len {
        for pair in order.chunks(2 * width) {
            let (left, right) = pair.split_at_checked(width).unwrap_or((pair, &[]));
            merge(left, right, compare, &mut merged);
        }
        mem::swap(&mut order, &mut merged);
        merged.clear();
        width *= 2;
    }
    order
}

/// Puts two sorted lists together; of equal ones, the left one's come first.
fn merge(
    mut left: &[usize],
    mut right: &[usize],
    compare: &mut dyn FnMut(usize, usize) -> Ordering,
    merged: &mut Vec<usize>,
) {
    while let ([first, left_rest @ ..], [second, right_rest @ ..]) = (left, right) {
        if compare(*first, *second).is_le() {
            merged.push(*first);
            left = left_rest;
        } else {
            merged.push(*second);
            right = right_rest;
        }
    }
    merged.extend_from_slice(left);
    merged.extend_from_slice(right);
}

/// Sorts a list; equal values keep their order.
pub(crate) fn sort_by<T>(values: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    let in_order = |pair: &[T]| matches!(pair, [left, right] if compare(left, right).is_le());
    if values.windows(2).all(in_order) {
        return;
    }
    let order = sorted_indices(values.len(), &mut |left, right| {
        values.get(left).zip(values.get(right)).map_or(Ordering::Equal, |(left, right)| compare(left, right))
    });
    arrange(values, order);
}

/// Sorts a list by a number of each value, and by comparing those whose numbers are the same: for many values, which are in no
/// cache, while their numbers lie side by side.
pub(crate) fn sort_by_number<T>(
    values: &mut Vec<T>,
    number: impl Fn(&T) -> u128,
    compare: impl Fn(&T, &T) -> Ordering,
) {
    let numbers: Vec<u128> = values.iter().map(number).collect();
    if numbers.windows(2).all(|pair| matches!(pair, [left, right] if left < right)) {
        return;
    }
    let order = sorted_indices(values.len(), &mut |left, right| {
        numbers.get(left).cmp(&numbers.get(right)).then_with(|| {
            values
                .get(left)
                .zip(values.get(right))
                .map_or(Ordering::Equal, |(left, right)| compare(left, right))
        })
    });
    arrange(values, order);
}

fn arrange<T>(values: &mut Vec<T>, order: Vec<usize>) {
    let mut taken: Vec<Option<T>> = mem::take(values).into_iter().map(Some).collect();
    values.extend(order.into_iter().filter_map(|index| taken.get_mut(index)?.take()));
}

/// Keeps the first of each value, in the order given.
pub(crate) fn without_repeats<T>(values: Vec<T>, compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    let compare_at = |left: usize, right: usize| {
        values.get(left).zip(values.get(right)).map_or(Ordering::Equal, |(left, right)| compare(left, right))
    };
    // What git prints is in order already.
    if values.windows(2).all(|pair| matches!(pair, [left, right] if compare(left, right).is_lt())) {
        return values;
    }
    let order = sorted_indices(values.len(), &mut |left, right| compare_at(left, right));
    let mut is_repeat = Vec::new();
    is_repeat.resize(values.len(), false);
    for pair in order.windows(2) {
        if let [earlier, later] = *pair
            && compare_at(earlier, later).is_eq()
            && let Some(mark) = is_repeat.get_mut(later)
        {
            *mark = true;
        }
    }
    values.into_iter().zip(is_repeat).filter_map(|(value, is_repeat)| (!is_repeat).then_some(value)).collect()
}

/// A set of names.
pub(crate) fn names<'a>(values: impl IntoIterator<Item = &'a str>) -> BTreeSet<&'a str> {
    set(values)
}

/// A set. One value at a time, for `collect` would sort them first, with a sort of its own for each type.
pub(crate) fn set<T: Ord>(values: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    let mut set = BTreeSet::new();
    for value in values {
        set.insert(value);
    }
    set
}

/// A set that is kept as a list in order: for sets of few, where it is less code than a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SmallSet<T>(Vec<T>);

impl<T: Ord> SmallSet<T> {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn of(values: impl IntoIterator<Item = T>) -> Self {
        let mut set = Self::new();
        values.into_iter().for_each(|value| set.insert(value));
        set
    }

    /// Adds a value, unless it is there.
    #[inline(never)]
    pub(crate) fn insert(&mut self, value: T) {
        let at = self.place(&value);
        if self.0.get(at) != Some(&value) {
            self.0.insert(at, value);
        }
    }

    pub(crate) fn remove(&mut self, value: &T) {
        let at = self.place(value);
        if self.0.get(at) == Some(value) {
            self.0.remove(at);
        }
    }

    pub(crate) fn contains(&self, value: &T) -> bool {
        self.0.get(self.place(value)) == Some(value)
    }

    /// The values in order.
    pub(crate) fn iter(&self) -> slice::Iter<'_, T> {
        self.0.iter()
    }

    /// The values from one on, in order.
    pub(crate) fn from(&self, first: &T) -> &[T] {
        self.0.get(self.place(first)..).unwrap_or_default()
    }

    pub(crate) const fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_disjoint(&self, other: &Self) -> bool {
        !self.iter().any(|value| other.contains(value))
    }

    /// Where a value is, or would be.
    #[inline(never)]
    fn place(&self, value: &T) -> usize {
        self.0.partition_point(|known| known < value)
    }
}

impl<'s, T: Ord> IntoIterator for &'s SmallSet<T> {
    type Item = &'s T;
    type IntoIter = slice::Iter<'s, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// A map in which the last of equal keys wins, one entry at a time too.
pub(crate) fn map<K: Ord, V>(entries: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    for (key, value) in entries {
        map.insert(key, value);
    }
    map
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorting_is_stable() {
        let by_first = |left: &(u8, u8), right: &(u8, u8)| left.0.cmp(&right.0);
        for (given, expected) in [
            (&[][..], &[][..]),
            (&[(1, 0)], &[(1, 0)]),
            (&[(2, 0), (1, 0), (2, 1), (1, 1)], &[(1, 0), (1, 1), (2, 0), (2, 1)]),
            (&[(1, 0), (1, 1), (2, 0)], &[(1, 0), (1, 1), (2, 0)]),
            (&[(3, 0), (2, 0), (1, 0), (3, 1), (2, 1)], &[(1, 0), (2, 0), (2, 1), (3, 0), (3, 1)]),
        ] {
            let mut values = Vec::from(given);
            sort_by(&mut values, by_first);
            assert_eq!(values, expected);
        }
    }

    #[test]
    fn long_lists_are_sorted_as_the_standard_library_does() {
        let mut state = 1_u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as u8 % 32
        };
        for len in [7, 8, 9, 63, 64, 65, 1000] {
            let mut values: Vec<(u8, usize)> = (0..len).map(|place| (random(), place)).collect();
            let mut expected = values.clone();
            expected.sort_by_key(|value| value.0);
            sort_by(&mut values, |left, right| left.0.cmp(&right.0));
            assert_eq!(values, expected);
        }
    }

    #[test]
    fn a_small_set_is_a_set() {
        let mut set = SmallSet::of([3, 1, 2, 3, 1]);
        assert_eq!(set.iter().copied().collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!((set.from(&2), set.from(&0), set.from(&4)), (&[2, 3][..], &[1, 2, 3][..], &[][..]));
        assert!(set.contains(&1) && !set.contains(&0) && !set.contains(&4));
        set.remove(&4);
        set.remove(&1);
        assert_eq!(set, SmallSet::of([2, 3]));
        assert!(set.is_disjoint(&SmallSet::of([1, 4])) && !set.is_disjoint(&SmallSet::of([4, 3])));
        assert!(SmallSet::<u8>::new().is_disjoint(&SmallSet::new()));
    }

    #[test]
    fn the_first_of_each_stays() {
        let by_first = |left: &(u8, u8), right: &(u8, u8)| left.0.cmp(&right.0);
        let values = Vec::from([(3, 0), (1, 0), (3, 1), (2, 0), (1, 1), (3, 2)]);
        assert_eq!(without_repeats(values, by_first), [(3, 0), (1, 0), (2, 0)]);
        assert_eq!(without_repeats(Vec::new(), by_first), []);
    }
}
