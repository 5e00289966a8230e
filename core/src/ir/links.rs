//! What depends on what: whether steps can be brought into an order, or which of them wait for each other.

use alloc::{format, string::String, vec, vec::Vec};

use crate::{codes::ErrorCode, error::Error, json::shorten};

/// How many steps of a circle an error names.
const SHOWN: usize = 12;

/// Steps each of which depends on the next, and the last on the first, which is the least of them; empty if there are none.
///
/// `lists` has for each step the places of those that it depends on.
pub(super) fn circle(lists: &[&[u32]]) -> Vec<u32> {
    let waiting = waiting(lists);
    let is_waiting = |step: u32| waiting.get(step as usize).copied().unwrap_or_default();
    let Some(first) = waiting.iter().position(|waits| *waits) else { return Vec::new() };
    // Whoever waits does so for another that waits: whoever follows them comes to a circle.
    let mut met = vec![usize::MAX; lists.len()];
    let mut way = Vec::new();
    let mut step = u32::try_from(first).unwrap_or(u32::MAX);
    loop {
        let Some(place) = met.get_mut(step as usize) else { return Vec::new() };
        if *place != usize::MAX {
            way.drain(..*place);
            break;
        }
        *place = way.len();
        way.push(step);
        let depends_on = lists.get(step as usize).copied().unwrap_or_default();
        let Some(next) = depends_on.iter().find(|next| is_waiting(**next)) else { return Vec::new() };
        step = *next;
    }
    let least = way.iter().enumerate().min_by_key(|(_, step)| **step).map_or(0, |(place, _)| place);
    way.rotate_left(least);
    way
}

/// Which steps can never begin.
fn waiting(lists: &[&[u32]]) -> Vec<bool> {
    let mut counts: Vec<usize> = lists.iter().map(|list| list.len()).collect();
    // Who waits for each: where its list begins, and all lists one after the other.
    let mut ends = vec![0_usize; lists.len() + 1];
    for on in lists.iter().copied().flatten() {
        if let Some(end) = ends.get_mut(*on as usize) {
            *end += 1;
        }
    }
    let mut total = 0;
    for end in &mut ends {
        total += *end;
        *end = total;
    }
    let mut waiters = vec![0_usize; total];
    for (step, on) in lists.iter().enumerate().flat_map(|(step, list)| list.iter().map(move |on| (step, on)))
    {
        let Some(begin) = ends.get_mut(*on as usize) else { continue };
        *begin -= 1;
        if let Some(waiter) = waiters.get_mut(*begin) {
            *waiter = step;
        }
    }
    let mut ready: Vec<usize> = (0..lists.len()).filter(|step| counts.get(*step) == Some(&0)).collect();
    let mut waiting = vec![true; lists.len()];
    while let Some(step) = ready.pop() {
        if let Some(waits) = waiting.get_mut(step) {
            *waits = false;
        }
        let bounds = ends.get(step).copied().zip(ends.get(step + 1).copied());
        let (from, to) = bounds.unwrap_or_default();
        for waiter in waiters.get(from..to).unwrap_or_default() {
            let Some(count) = counts.get_mut(*waiter) else { continue };
            *count -= 1;
            if *count == 0 {
                ready.push(*waiter);
            }
        }
    }
    waiting
}

/// The error for a circle of steps, by their ids.
pub(super) fn circle_error(ids: &[&str]) -> Error {
    let mut message = String::from("steps depend on each other in a circle: ");
    for id in ids.iter().take(SHOWN) {
        message.push_str(&format!("`{}` -> ", shorten(id)));
    }
    if let Some(more) = ids.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        message.push_str(&format!("{more} more -> "));
    }
    message.push_str(&format!("`{}`", shorten(ids.first().copied().unwrap_or_default())));
    Error::new(ErrorCode::InvalidValue, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::borrow::ToOwned as _;

    #[test]
    fn circles_begin_with_their_least_step() {
        let cases: [(&[&[u32]], &[u32]); 9] = [
            (&[], &[]),
            (&[&[], &[0], &[0, 1]], &[]),
            (&[&[1], &[2], &[]], &[]),
            (&[&[0]], &[0]),
            (&[&[1, 1], &[0, 0]], &[0, 1]),
            (&[&[], &[3], &[1], &[2]], &[1, 3, 2]),
            // What leads to a circle is not of it.
            (&[&[2], &[], &[1, 3], &[2]], &[2, 3]),
            (&[&[2], &[2], &[3], &[1]], &[1, 2, 3]),
            (&[&[1], &[1]], &[1]),
        ];
        for (lists, expected) in cases {
            assert_eq!(circle(lists), expected, "{lists:?}");
        }
    }

    #[test]
    fn a_long_circle_is_told_in_short() {
        let ids: Vec<String> = (0..40).map(|at| format!("s{at}")).collect();
        let ids: Vec<&str> = ids.iter().map(|id| &**id).collect();
        let of = |count: usize| circle_error(&ids[..count]).message().to_owned();
        assert_eq!(of(2), "steps depend on each other in a circle: `s0` -> `s1` -> `s0`");
        assert!(of(12).ends_with("`s10` -> `s11` -> `s0`"), "{}", of(12));
        assert!(of(40).ends_with("`s10` -> `s11` -> 28 more -> `s0`"), "{}", of(40));
    }
}
