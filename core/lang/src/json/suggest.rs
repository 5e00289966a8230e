//! Suggestions ("did you mean") from lists of known names.

use alloc::vec::Vec;

/// Returns the candidate closest to `given`, if it is close enough. One edit per three characters is allowed, at least one, but
/// fewer than the candidate has characters. An edit is an insertion, a deletion, a replacement or a swap of neighbors. Ties go to
/// the first.
///
/// ```
/// use adjudicate_lang::json::closest;
/// assert_eq!(closest("sucess", &["failure", "success"]), Some("success"));
/// assert_eq!(closest("retry", &["failure", "success"]), None);
/// ```
#[must_use]
pub fn closest<'c>(given: &str, candidates: &[&'c str]) -> Option<&'c str> {
    // Far longer than any declared name.
    if given.len() > 64 {
        return None;
    }
    let allowed = (given.chars().count() / 3).max(1);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let distance = distance(given, candidate);
        if distance <= allowed
            && distance < candidate.chars().count()
            && best.is_none_or(|(least, _)| distance < least)
        {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Returns whether any candidate is at most two edits away from `given`, as [`closest`] counts them.
pub(crate) fn is_close(given: &str, candidates: &[&str]) -> bool {
    given.len() <= 64 && candidates.iter().any(|candidate| distance(given, candidate) <= 2)
}

/// Returns the optimal string alignment distance, case-insensitive.
fn distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().map(|c| c.to_ascii_lowercase()).collect();
    let right: Vec<char> = right.chars().map(|c| c.to_ascii_lowercase()).collect();
    let mut older: Vec<usize> = Vec::new();
    let mut old: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut row = Vec::with_capacity(old.len());
        row.push(i + 1);
        for (j, b) in right.iter().enumerate() {
            let at = |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX / 2);
            let mut cost = (at(&old, j) + usize::from(a != b)).min(at(&old, j + 1) + 1).min(at(&row, j) + 1);
            let swapped = i > 0 && j > 0 && left.get(i - 1) == Some(b) && right.get(j - 1) == Some(a);
            if swapped {
                cost = cost.min(at(&older, j - 1) + 1);
            }
            row.push(cost);
        }
        older = core::mem::replace(&mut old, row);
    }
    old.last().copied().unwrap_or(left.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_names_are_suggested_and_far_ones_are_not() {
        let known = ["run_id", "step_id", "evidence", "artifacts", "!"];
        for (given, expected) in [
            ("run_di", Some("run_id")),
            ("evidnce", Some("evidence")),
            ("RunId", Some("run_id")),
            ("artefacts", Some("artifacts")),
            ("Evidence", Some("evidence")),
            ("policy", None),
            ("", None),
            ("a", None),
        ] {
            assert_eq!(closest(given, &known), expected, "{given}");
        }
    }
}
