//! How much an answer may hold (SPEC section 18.9).
//!
//! The decision follows from everything; what is listed is bounded, and the last item of a list that was cut says how many
//! were left out.

use alloc::{format, string::String, vec::Vec};
use core::fmt::Display;

use adjudicate_lang::{Error, json};

/// How many findings, blockers, edits or results of tests an answer lists.
pub const MAX_LISTED: usize = 10_000;
/// How many diagnostics an answer about a plan, an output or diagnostics lists.
pub const MAX_DIAGNOSTICS: usize = 100_000;
pub use adjudicate_lang::json::MAX_ANSWER_BYTES;

use crate::codes;

/// Cuts a list, and ends it with what says how many items were left out.
pub(crate) fn cut<T>(list: &mut Vec<T>, most: usize, omitted: impl FnOnce(usize) -> T) {
    let left = list.len().saturating_sub(most);
    if left > 0 {
        list.truncate(most);
        list.push(omitted(left));
    }
}

/// The first items, and how many more there are. Only what is listed is held.
pub(crate) fn first<T>(mut items: impl Iterator<Item = T>) -> (Vec<T>, usize) {
    let listed = items.by_ref().take(MAX_LISTED).collect();
    (listed, items.count())
}

/// Says how many items of a list are left out.
pub(crate) fn left_out(count: impl Display, items: &str) -> String {
    format!("{count} {items} are left out: an answer lists the first {MAX_LISTED}")
}

/// Writes an answer.
///
/// # Errors
///
/// [`codes::LIMIT_EXCEEDED`] when the text is over the limit.
pub(crate) fn write<T: serde::Serialize>(answer: &T) -> Result<String, Error> {
    json::write_within(answer, MAX_ANSWER_BYTES).ok_or_else(too_long)
}

/// The text of an answer.
///
/// # Errors
///
/// [`codes::LIMIT_EXCEEDED`] when it is over the limit.
pub(crate) fn checked(answer: String) -> Result<String, Error> {
    if answer.len() > MAX_ANSWER_BYTES { Err(too_long()) } else { Ok(answer) }
}

fn too_long() -> Error {
    let message = format!("the answer is over the limit of {MAX_ANSWER_BYTES} bytes");
    Error::new(codes::LIMIT_EXCEEDED, message)
}
