//! Sorting. The standard library's two sorts are 12 KB of wasm, a third of the size of a whole policy.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// Returns the places of `count` items in the order of `compare`; equal items keep their order. A heap sort, so no
/// input takes long. It has no type parameter, so a module has one copy of it.
pub(crate) fn sorted_places(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    let comes_later =
        |left: &usize, right: &usize| compare(*left, *right).then(left.cmp(right)) == Ordering::Greater;
    for root in (0..count / 2).rev() {
        sink(&mut places, root, count, &comes_later);
    }
    for end in (1..count).rev() {
        places.swap(0, end);
        sink(&mut places, 0, end, &comes_later);
    }
    places
}

/// Lets the place at `root` sink until none below it comes later.
fn sink(places: &mut [usize], mut root: usize, end: usize, comes_later: &dyn Fn(&usize, &usize) -> bool) {
    loop {
        let below = [2 * root + 1, 2 * root + 2].into_iter().filter(|child| *child < end);
        let latest = below.fold(root, |latest, child| match (places.get(child), places.get(latest)) {
            (Some(child_place), Some(place)) if comes_later(child_place, place) => child,
            _ => latest,
        });
        if latest == root {
            return;
        }
        places.swap(root, latest);
        root = latest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_sorts_as_the_standard_library_does() {
        let mut state = 1_u64;
        for count in [0, 1, 2, 3, 10, 1000] {
            let numbers: Vec<u64> = (0..count)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (state >> 33) % 50
                })
                .collect();
            let mut expected: Vec<usize> = (0..numbers.len()).collect();
            expected.sort_by_key(|place| numbers[*place]);
            assert_eq!(
                sorted_places(numbers.len(), &|left, right| numbers[left].cmp(&numbers[right])),
                expected
            );
        }
    }
}
