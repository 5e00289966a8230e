//! Sorted names with fast lookup. The common prefix is skipped, and the next eight bytes are compared as one number before any
//! text.

use alloc::{vec, vec::Vec};

use adjudicate_lang::{Error, Steps, json, order};

/// Names in order; equal ones are allowed.
#[derive(Clone, Debug)]
pub(super) struct Names<'a> {
    /// The length of the common prefix, in bytes.
    common: usize,
    names: Vec<(u64, &'a str)>,
}

impl<'a> Names<'a> {
    /// The sorted names, and the original index of each.
    pub(super) fn sorted(list: &[&'a str]) -> (Self, Vec<usize>) {
        let names = Self::in_given_order(list);
        let at = |place: usize| names.names.get(place);
        let places = order::sorted_indices(list.len(), &mut |left, right| at(left).cmp(&at(right)));
        let sorted = places.iter().filter_map(|place| at(*place).copied()).collect();
        (Self { common: names.common, names: sorted }, places)
    }

    /// For each name, the number of distinct names before it: integers that compare as the names do.
    pub(super) fn ranks(list: &[&'a str]) -> Vec<u32> {
        let (names, places) = Self::sorted(list);
        let mut ranks = vec![0; list.len()];
        let (mut rank, mut last) = (0, None);
        for ((_, name), place) in names.names.iter().zip(places) {
            rank += u32::from(last.replace(*name).is_some_and(|last| last != *name));
            if let Some(slot) = ranks.get_mut(place) {
                *slot = rank;
            }
        }
        ranks
    }

    /// The distinct names in order.
    pub(super) fn set(list: &[&'a str]) -> Self {
        let mut names = Self::in_given_order(list);
        order::sort_by(&mut names.names, Ord::cmp);
        names.names.dedup();
        names
    }

    fn in_given_order(list: &[&'a str]) -> Self {
        let (first, rest) = list.split_first().map_or(("", list), |(first, rest)| (*first, rest));
        let common = rest.iter().fold(first.len(), |common, name| {
            let same = first.bytes().zip(name.bytes()).take(common).take_while(|(left, right)| left == right);
            same.count()
        });
        Self { common, names: list.iter().map(|name| (begin(name, common), *name)).collect() }
    }

    /// The number of the first entry equal to `name`.
    pub(super) fn find(&self, name: &str) -> Option<u32> {
        let wanted = (begin(name, self.common), name);
        let at = self.names.partition_point(|known| (known.0, known.1) < wanted);
        let found = self.names.get(at).filter(|known| known.1 == name);
        found.and_then(|_| u32::try_from(at).ok())
    }

    /// The name that was probably meant: the closest fit one among the neighbors in sorted order.
    ///
    /// # Errors
    ///
    /// When the budget runs out.
    pub(super) fn closest(
        &self,
        name: &str,
        is_fit: &dyn Fn(u32) -> bool,
        steps: &mut Steps,
    ) -> Result<Option<&'a str>, Error> {
        const AROUND: usize = 8;
        /// Longer names are not suggested.
        const LONG: usize = 128;
        let len = name.len().min(LONG);
        steps.spend(len * len)?;
        let place = self.names.partition_point(|known| (known.0, known.1) < (begin(name, self.common), name));
        let from = place.saturating_sub(AROUND);
        let around = self.names.get(from..).unwrap_or_default().iter().take(2 * AROUND);
        let numbered = (u32::try_from(from).unwrap_or(u32::MAX)..).zip(around);
        let fit = numbered.filter(|(at, (_, known))| known.len() <= LONG && is_fit(*at));
        let fit: Vec<&'a str> = fit.map(|(_, (_, known))| *known).collect();
        Ok(json::closest(name, &fit))
    }

    pub(super) fn at(&self, number: u32) -> &'a str {
        self.names.get(number as usize).map_or("", |(_, name)| name)
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }
}

/// The eight bytes after the prefix, as a number that sorts as they do.
fn begin(name: &str, common: usize) -> u64 {
    let rest = name.as_bytes().get(common..).unwrap_or_default();
    (0..8).fold(0, |number, at| number << 8 | u64::from(rest.get(at).copied().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn names_are_found_where_a_plain_search_finds_them(
            list in proptest::collection::vec("[ab\u{0}é]{0,3}(node-)?[ab0\u{0}]{0,12}", 0..20), prefix in "[ab]{0,12}", other in "[ab0\u{0}é-]{0,16}"
        ) {
            let list: Vec<_> = list.iter().map(|name| [&*prefix, name].concat()).collect();
            let list: Vec<&str> = list.iter().map(|name| &**name).collect();
            let mut expected = list.clone();
            expected.sort_unstable();
            let (names, places) = Names::sorted(&list);
            prop_assert_eq!(places.iter().map(|place| list[*place]).collect::<Vec<_>>(), expected.clone());
            for name in list.iter().chain([&&*other]) {
                let found = expected.iter().position(|known| known == name).map(|at| u32::try_from(at).unwrap());
                prop_assert_eq!(names.find(name), found);
            }
            let ranks = Names::ranks(&list);
            for (left, one) in list.iter().zip(&ranks) {
                for (right, other) in list.iter().zip(&ranks) {
                    prop_assert_eq!(one.cmp(other), left.cmp(right));
                }
            }
            expected.dedup();
            let set = Names::set(&list);
            let all: Vec<&str> = (0..u32::try_from(set.len()).unwrap()).map(|at| set.at(at)).collect();
            prop_assert_eq!(all, expected);
        }
    }
}
