//! Sorting and sets of names.
//!
//! The standard sort is compiled anew for every type and every comparison, at several kilobytes of wasm each. Here
//! it is compiled once, over indices; everything in the crate that sorts goes through it.

use alloc::{collections::BTreeSet, vec::Vec};
use core::{cmp::Ordering, mem};

/// The indices below `len` in the order of what they stand for; equal ones keep their order.
pub(crate) fn sorted_indices(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|left, right| compare(*left, *right));
    order
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
    // One at a time: `collect` would sort.
    let mut names = BTreeSet::new();
    for value in values {
        names.insert(value);
    }
    names
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
        ] {
            let mut values = Vec::from(given);
            sort_by(&mut values, by_first);
            assert_eq!(values, expected);
        }
    }

    #[test]
    fn the_first_of_each_stays() {
        let by_first = |left: &(u8, u8), right: &(u8, u8)| left.0.cmp(&right.0);
        let values = Vec::from([(3, 0), (1, 0), (3, 1), (2, 0), (1, 1), (3, 2)]);
        assert_eq!(without_repeats(values, by_first), [(3, 0), (1, 0), (2, 0)]);
        assert_eq!(without_repeats(Vec::new(), by_first), []);
    }
}
