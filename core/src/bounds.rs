//! The size limits of answers (docs/reference/rules.md).
//!
//! The decision considers everything; only lists are cut. The last item of a cut list has the number of items left out.

use alloc::{format, string::String, vec::Vec};
use core::fmt::Display;

use adjudicate_lang::{Error, json};

use crate::codes;

/// The most findings, blockers, edits or test results that an answer lists.
pub const MAX_LISTED: usize = 10_000;
/// The most diagnostics that an answer lists.
pub const MAX_DIAGNOSTICS: usize = 100_000;
pub use adjudicate_lang::json::MAX_ANSWER_BYTES;

/// Cuts a list, and ends it with an item for those left out.
pub(crate) fn cut<T>(list: &mut Vec<T>, most: usize, omitted: impl FnOnce(usize) -> T) {
    let left = list.len().saturating_sub(most);
    if left > 0 {
        list.truncate(most);
        list.push(omitted(left));
    }
}

/// The first items, and the number of the others. Only the listed items are stored.
pub(crate) fn first<T>(mut items: impl Iterator<Item = T>) -> (Vec<T>, usize) {
    let listed = items.by_ref().take(MAX_LISTED).collect();
    (listed, items.count())
}

/// The message for items left out of a list.
pub(crate) fn left_out(count: impl Display, items: &str) -> String {
    format!("{count} {items} are left out: an answer lists the first {MAX_LISTED}")
}

/// Serializes an answer.
///
/// # Errors
///
/// [`codes::LIMIT_EXCEEDED`] if the text is over the limit.
pub(crate) fn write<T: serde::Serialize>(answer: &T) -> Result<String, Error> {
    json::write_within(answer, MAX_ANSWER_BYTES).ok_or_else(too_long)
}

/// Returns the text of an answer, if its size is within the limit.
///
/// # Errors
///
/// [`codes::LIMIT_EXCEEDED`] if it is over the limit.
pub(crate) fn checked(answer: String) -> Result<String, Error> {
    if answer.len() > MAX_ANSWER_BYTES { Err(too_long()) } else { Ok(answer) }
}

fn too_long() -> Error {
    let message = format!("the answer is over the limit of {MAX_ANSWER_BYTES} bytes");
    Error::new(codes::LIMIT_EXCEEDED, message)
}
