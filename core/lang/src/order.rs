//! Sorting and sorted sets, in little code.
//!
//! The compiler generates the standard sort for every type and every comparison, at several kilobytes of wasm each. This sort works
//! on indices, so it is compiled once. Use it for all sorting in the engine.

use alloc::vec::{self, Vec};
use core::{borrow::Borrow, cmp::Ordering, mem, slice};

/// Returns the indices below `len`, sorted by `compare`. Equal ones keep their order.
///
/// ```
/// let words = ["b", "a", "c"];
/// let order = adjudicate_lang::order::sorted_indices(3, &mut |left, right| words[left].cmp(words[right]));
/// assert_eq!(order, [1, 0, 2]);
/// ```
pub fn sorted_indices(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    sorted(len, compare).into_iter().map(|index| index as usize).collect()
}

/// The same with half of the memory. 32 bits suffice, because an input has at most 8 MiB.
fn sorted(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<u32> {
    let mut order: Vec<u32> = (0..len as u32).collect();
    for run in order.chunks_mut(RUN) {
        insert(run, compare);
    }
    let mut merged = Vec::with_capacity(if len > RUN { len } else { 0 });
    let mut width = RUN;
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

/// The number of entries that are sorted by insertion, which takes one comparison for an entry that is in order.
const RUN: usize = 8;

/// Sorts a short list.
fn insert(run: &mut [u32], compare: &mut dyn FnMut(usize, usize) -> Ordering) {
    for end in 1..run.len() {
        let mut at = end;
        while let Some([left, right]) = at.checked_sub(1).and_then(|before| run.get_mut(before..=at))
            && compare(*left as usize, *right as usize).is_gt()
        {
            mem::swap(left, right);
            at -= 1;
        }
    }
}

/// Merges two sorted lists. Of equal entries, those of the left list come first.
fn merge(
    mut left: &[u32],
    mut right: &[u32],
    compare: &mut dyn FnMut(usize, usize) -> Ordering,
    merged: &mut Vec<u32>,
) {
    while let ([first, left_rest @ ..], [second, right_rest @ ..]) = (left, right) {
        if compare(*first as usize, *second as usize).is_le() {
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

/// Sorts a list. Equal values keep their order.
pub fn sort_by<T>(values: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let in_order = |pair: &[T]| matches!(pair, [left, right] if compare(left, right).is_le());
    if values.windows(2).all(in_order) {
        return;
    }
    let order = sorted(values.len(), &mut |left, right| {
        values.get(left).zip(values.get(right)).map_or(Ordering::Equal, |(left, right)| compare(left, right))
    });
    arrange(values, order);
}

/// Sorts a list by a number of each value, and compares the values only if their numbers are equal. Faster for many values, because
/// the numbers are adjacent in the cache.
pub fn sort_by_number<T, N: Ord>(
    values: &mut [T],
    number: impl Fn(&T) -> N,
    compare: impl Fn(&T, &T) -> Ordering,
) {
    let numbers: Vec<N> = values.iter().map(number).collect();
    if numbers.windows(2).all(|pair| matches!(pair, [left, right] if left < right)) {
        return;
    }
    let order = sorted(values.len(), &mut |left, right| {
        numbers.get(left).cmp(&numbers.get(right)).then_with(|| {
            values
                .get(left)
                .zip(values.get(right))
                .map_or(Ordering::Equal, |(left, right)| compare(left, right))
        })
    });
    arrange(values, order);
}

/// The same for numbers of 32 bits, and faster: a number and an index are one key, and keys are sorted without looking at values.
pub fn sort_by_u32<T>(values: &mut [T], number: impl Fn(&T) -> u32, compare: impl Fn(&T, &T) -> Ordering) {
    let key = |(value, index): (&T, u64)| u64::from(number(value)) << 32 | index;
    let mut keys: Vec<u64> = values.iter().zip(0..).map(key).collect();
    keys.sort_unstable();
    arrange(values, keys.into_iter().map(|key| key as u32).collect());
    for equal in values.chunk_by_mut(|left, right| number(left) == number(right)) {
        sort_by(equal, &compare);
    }
}

/// Moves values into an order in place, one cycle of the permutation at a time.
fn arrange<T>(values: &mut [T], mut order: Vec<u32>) {
    for first in 0..order.len() {
        let mut at = first;
        while let Some(source) = order.get_mut(at) {
            let from = mem::replace(source, at as u32) as usize;
            if from == first || from == at {
                break;
            }
            values.swap(at, from);
            at = from;
        }
    }
}

/// Keeps the first of equal values, in the given order.
pub fn without_repeats<T>(mut values: Vec<T>, compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    let compare_at = |left: usize, right: usize| {
        values.get(left).zip(values.get(right)).map_or(Ordering::Equal, |(left, right)| compare(left, right))
    };
    // Output of git is already sorted.
    if values.windows(2).all(|pair| matches!(pair, [left, right] if compare(left, right).is_lt())) {
        return values;
    }
    let order = sorted(values.len(), &mut |left, right| compare_at(left, right));
    let mut is_repeat = Vec::new();
    for pair in order.windows(2) {
        if let [earlier, later] = *pair
            && compare_at(earlier as usize, later as usize).is_eq()
        {
            is_repeat.resize(values.len(), false);
            is_repeat.get_mut(later as usize).into_iter().for_each(|mark| *mark = true);
        }
    }
    let mut is_repeat = is_repeat.into_iter();
    values.retain(|_| is_repeat.next() != Some(true));
    values
}

/// Returns a set of names.
#[must_use]
pub fn names<'a>(values: impl IntoIterator<Item = &'a str>) -> SortedSet<&'a str> {
    SortedSet::from_values(values)
}

/// A set as a sorted list, with less code than a tree and half of its memory. [`SortedSet::insert`] moves all later values, so use
/// it for small sets.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SortedSet<T>(Vec<T>);

impl<T: Ord> SortedSet<T> {
    /// Returns the empty set.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Returns the set of these values.
    #[must_use]
    pub fn from_values(values: impl IntoIterator<Item = T>) -> Self {
        let mut values: Vec<T> = values.into_iter().collect();
        sort_by(&mut values, T::cmp);
        values.dedup();
        Self(values)
    }

    /// Adds a value, unless it is present.
    #[inline(never)]
    pub fn insert(&mut self, value: T) {
        let at = self.index_of(&value);
        if self.0.get(at) != Some(&value) {
            self.0.insert(at, value);
        }
    }

    /// Keeps the values for which `keep` is true.
    pub fn retain(&mut self, keep: impl FnMut(&T) -> bool) {
        self.0.retain(keep);
    }

    /// Removes a value, if it is present.
    pub fn remove(&mut self, value: &T) {
        let at = self.index_of(value);
        if self.0.get(at) == Some(value) {
            self.0.remove(at);
        }
    }

    /// Removes the first value.
    pub fn pop_first(&mut self) -> Option<T> {
        if self.is_empty() { None } else { Some(self.0.remove(0)) }
    }

    /// Removes the last value.
    pub fn pop_last(&mut self) -> Option<T> {
        self.0.pop()
    }

    /// Returns whether the set has a value.
    #[must_use]
    pub fn contains<Q: Ord + ?Sized>(&self, value: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.from(value).first().is_some_and(|found| found.borrow() == value)
    }

    /// Returns the values in order.
    #[inline]
    pub fn iter(&self) -> slice::Iter<'_, T> {
        self.0.iter()
    }

    /// Returns the values from `first` on, in order.
    #[must_use]
    pub fn from<Q: Ord + ?Sized>(&self, first: &Q) -> &[T]
    where
        T: Borrow<Q>,
    {
        self.0.get(self.index_of(first)..).unwrap_or_default()
    }

    /// Returns the number of values.
    #[must_use]
    #[inline]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether the set is empty.
    #[must_use]
    #[inline]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether two sets have no common value.
    #[must_use]
    pub fn is_disjoint(&self, other: &Self) -> bool {
        !self.iter().any(|value| other.contains(value))
    }

    /// Returns the index of a value, present or not.
    #[inline(never)]
    fn index_of<Q: Ord + ?Sized>(&self, value: &Q) -> usize
    where
        T: Borrow<Q>,
    {
        self.0.partition_point(|known| known.borrow() < value)
    }
}

impl<T> IntoIterator for SortedSet<T> {
    type Item = T;
    type IntoIter = vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'s, T: Ord> IntoIterator for &'s SortedSet<T> {
    type Item = &'s T;
    type IntoIter = slice::Iter<'s, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// A map as a list that is sorted by its keys, with less code than a tree. It is built from all its entries at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortedMap<K, V>(Vec<(K, V)>);

impl<K: Ord, V> SortedMap<K, V> {
    /// Returns the map of these entries, whose keys differ.
    #[must_use]
    pub fn from_entries(mut entries: Vec<(K, V)>) -> Self {
        sort_by(&mut entries, |left, right| left.0.cmp(&right.0));
        Self(entries)
    }

    /// Returns the value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let at = self.0.partition_point(|(known, _)| known.borrow() < key);
        self.0.get(at).filter(|(known, _)| known.borrow() == key).map(|(_, value)| value)
    }

    /// Returns whether the map has a key.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.get(key).is_some()
    }

    /// Returns the entries, by keys.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// Returns the keys in order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.0.iter().map(|(key, _)| key)
    }

    /// Returns the values, by keys.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.0.iter().map(|(_, value)| value)
    }

    /// Returns the number of entries.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether the map is empty.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
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
            let mut by_number = values.clone();
            sort_by(&mut values, |left, right| left.0.cmp(&right.0));
            assert_eq!(values, expected);
            sort_by_u32(&mut by_number, |value| u32::from(value.0 / 4), |left, right| left.0.cmp(&right.0));
            assert_eq!(by_number, expected);
        }
    }

    #[test]
    fn sorted_sets_have_set_semantics() {
        let mut set = SortedSet::from_values([3, 1, 2, 3, 1]);
        assert_eq!(set.iter().copied().collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!((set.from(&2), set.from(&0), set.from(&4)), (&[2, 3][..], &[1, 2, 3][..], &[][..]));
        assert!(set.contains(&1) && !set.contains(&0) && !set.contains(&4));
        set.remove(&4);
        set.remove(&1);
        assert_eq!(set, SortedSet::from_values([2, 3]));
        assert!(
            set.is_disjoint(&SortedSet::from_values([1, 4]))
                && !set.is_disjoint(&SortedSet::from_values([4, 3]))
        );
        assert!(SortedSet::<u8>::new().is_disjoint(&SortedSet::new()));
        assert_eq!(
            (set.pop_first(), set.pop_last(), set.pop_first(), set.pop_last()),
            (Some(2), Some(3), None, None)
        );
    }

    #[test]
    fn sorted_maps_have_map_semantics() {
        let map = SortedMap::from_entries(Vec::from([(3, "c"), (1, "a"), (2, "b")]));
        assert_eq!(map.iter().collect::<Vec<_>>(), [(&1, &"a"), (&2, &"b"), (&3, &"c")]);
        assert_eq!(
            [0, 1, 2, 3, 4].map(|key| map.get(&key)),
            [None, Some(&"a"), Some(&"b"), Some(&"c"), None]
        );
        assert!(map.contains_key(&3) && !map.contains_key(&4));
    }

    #[test]
    fn the_first_of_equal_values_stays() {
        let by_first = |left: &(u8, u8), right: &(u8, u8)| left.0.cmp(&right.0);
        let values = Vec::from([(3, 0), (1, 0), (3, 1), (2, 0), (1, 1), (3, 2)]);
        assert_eq!(without_repeats(values, by_first), [(3, 0), (1, 0), (2, 0)]);
        assert_eq!(without_repeats(Vec::new(), by_first), []);
    }
}
