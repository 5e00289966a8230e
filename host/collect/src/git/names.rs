//! Names of files in reasons.

/// The most paths that a reason lists.
const MAX_LISTED_PATHS: usize = 5;

/// Returns a sentence about names: the first of them, and their number; `None` without names.
pub(super) fn listed(names: &[Vec<u8>], reason: &str) -> Option<String> {
    let first = names.iter().take(MAX_LISTED_PATHS).map(|name| format!("`{}`", name.escape_ascii()));
    let first: Vec<_> = first.collect();
    (!names.is_empty()).then(|| format!("{}, {} in all, {reason}", first.join(", "), names.len()))
}
