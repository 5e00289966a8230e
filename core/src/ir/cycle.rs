//! Dependencies between steps: a topological order, or a cycle that rules it out.

use alloc::{format, string::String, vec, vec::Vec};

use adjudicate_lang::{Error, json::shorten};

use crate::codes;

/// The number of steps of a cycle that an error names.
const SHOWN: usize = 12;

/// A cycle of steps, each depending on the next and the last on the first; empty if there is none. It begins with its lowest step.
///
/// `lists` has the dependencies of each step, by index.
pub(super) fn cycle(lists: &[&[u32]]) -> Vec<u32> {
    let mut waiting = vec![true; lists.len()];
    for step in order(lists) {
        if let Some(waits) = waiting.get_mut(step) {
            *waits = false;
        }
    }
    let is_waiting = |step: u32| waiting.get(step as usize).copied().unwrap_or_default();
    let first = waiting.iter().position(|waits| *waits).and_then(|first| u32::try_from(first).ok());
    // Every step that waits depends on another that waits, so following them leads to a cycle.
    let mut place_on_way = vec![usize::MAX; lists.len()];
    let mut way = Vec::new();
    let mut next = first;
    while let Some(step) = next {
        let Some(place) = place_on_way.get_mut(step as usize) else { break };
        if let Some(cycle) = way.get(*place..) {
            return from_least(cycle);
        }
        *place = way.len();
        way.push(step);
        next = lists.get(step as usize).and_then(|on| on.iter().copied().find(|on| is_waiting(*on)));
    }
    Vec::new()
}

/// Rotates a cycle to begin with its lowest step.
fn from_least(cycle: &[u32]) -> Vec<u32> {
    let least = cycle.iter().min();
    let place = cycle.iter().position(|step| Some(step) == least).unwrap_or_default();
    let (before, from) = cycle.split_at_checked(place).unwrap_or_default();
    [from, before].concat()
}

/// The steps in topological order; steps that can never begin are left out.
///
/// `lists` has the dependencies of each step, by index.
pub(super) fn order(lists: &[&[u32]]) -> Vec<usize> {
    // For each step, the number of unmet dependencies and the chain of its dependents, as links to the previous one.
    const NONE: usize = usize::MAX;
    let mut counts = Vec::with_capacity(lists.len());
    let mut chains = vec![NONE; lists.len()];
    let mut links = Vec::new();
    for (step, list) in lists.iter().enumerate() {
        counts.push(list.len());
        for on in *list {
            if let Some(chain) = chains.get_mut(*on as usize) {
                links.push((step, *chain));
                *chain = links.len() - 1;
            }
        }
    }
    let mut ready: Vec<usize> = (0..lists.len()).filter(|step| counts.get(*step) == Some(&0)).collect();
    let mut order = Vec::with_capacity(lists.len());
    while let Some(step) = ready.pop() {
        order.push(step);
        let mut chain = chains.get(step).copied().unwrap_or(NONE);
        while let Some((waiter, before)) = links.get(chain).copied() {
            chain = before;
            let Some(count) = counts.get_mut(waiter) else { continue };
            *count -= 1;
            if *count == 0 {
                ready.push(waiter);
            }
        }
    }
    order
}

/// The error for a cycle of steps, by their ids.
pub(super) fn cycle_error(ids: &[&str]) -> Error {
    let mut message = String::from("steps depend on each other in a circle: ");
    for id in ids.iter().take(SHOWN) {
        message.push_str(&format!("`{}` -> ", shorten(id)));
    }
    if let Some(more) = ids.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        message.push_str(&format!("{more} more -> "));
    }
    message.push_str(&format!("`{}`", shorten(ids.first().copied().unwrap_or_default())));
    Error::new(codes::INVALID_VALUE, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::borrow::ToOwned as _;

    #[test]
    fn cycles_begin_with_their_least_step() {
        let cases: [(&[&[u32]], &[u32]); 9] = [
            (&[], &[]),
            (&[&[], &[0], &[0, 1]], &[]),
            (&[&[1], &[2], &[]], &[]),
            (&[&[0]], &[0]),
            (&[&[1, 1], &[0, 0]], &[0, 1]),
            (&[&[], &[3], &[1], &[2]], &[1, 3, 2]),
            // A step that leads to a cycle is not part of it.
            (&[&[2], &[], &[1, 3], &[2]], &[2, 3]),
            (&[&[2], &[2], &[3], &[1]], &[1, 2, 3]),
            (&[&[1], &[1]], &[1]),
        ];
        for (lists, expected) in cases {
            assert_eq!(cycle(lists), expected, "{lists:?}");
        }
    }

    #[test]
    fn a_long_cycle_is_shortened() {
        let ids: Vec<String> = (0..40).map(|at| format!("s{at}")).collect();
        let ids: Vec<&str> = ids.iter().map(|id| &**id).collect();
        let of = |count: usize| cycle_error(&ids[..count]).message().to_owned();
        assert_eq!(of(2), "steps depend on each other in a circle: `s0` -> `s1` -> `s0`");
        assert!(of(12).ends_with("`s10` -> `s11` -> `s0`"), "{}", of(12));
        assert!(of(40).ends_with("`s10` -> `s11` -> 28 more -> `s0`"), "{}", of(40));
    }
}
