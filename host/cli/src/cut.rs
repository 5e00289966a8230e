//! The beginning of a text that is too long to be shown.

/// Returns the text, cut after this number of characters.
pub(crate) fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => text.get(..end).unwrap_or_default().to_owned() + "...",
        None => text.to_owned(),
    }
}
