//! Comparing words.

/// Returns true if a word is in the list, ignoring ASCII case.
pub(crate) fn is_one_of(word: &str, known: &[&str]) -> bool {
    known.iter().any(|known| word.eq_ignore_ascii_case(known))
}
