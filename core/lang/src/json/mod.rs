//! Strict JSON: reading with pointers, writing, canonical form and digests.
//!
//! Reading has two steps. [`read`] checks the *text* (syntax, UTF-8, duplicate keys, depth, size) and lays it out
//! as a flat [`Tape`]. [`Tape::decode`] then fills a typed value from the tape through serde. So every text error
//! comes before any error about types, and both come in document order, each with the JSON Pointer of the
//! offending member.
//!
//! This is our own reader, not `serde_json`'s, for reasons that its options cannot give: duplicate keys are errors
//! even in ignored members, 128 nested containers pass and 129 do not, pointers are exact, and no Cargo feature
//! that some other crate turns on can change an answer. Writing typed answers is
//! ours too, since `serde_json`'s comes with tables of powers of ten.
//!
//! What is not here: any meaning. Which members an object has is said by the wire types.

mod canonical;
mod de;
mod error;
mod failure;
mod glance;
mod keys;
mod lexer;
mod list;
mod nullable;
mod number;
pub mod object;
mod owned;
mod pointer;
mod reader;
mod suggest;
mod tape;
mod verbatim;
mod write;

use alloc::string::String;

pub use canonical::{canonical, digest, write_string};
pub use failure::{Failure, shorten, unknown};
pub(crate) use glance::{Beyond, Ends, Glance, ends};
pub use list::{exact, exact_option};
pub use nullable::Nullable;
pub use owned::OwnedValue;
pub use pointer::{
    Pointer, behind_field, compare as compare_pointers, is_pointer, push_segment, unescape_segment,
};
pub use reader::{Limits, MAX_ANSWER_BYTES, MAX_DEPTH, MAX_DOCUMENT_BYTES, read};
pub use suggest::closest;
pub(crate) use tape::Items;
pub use tape::{Kind, Node, Tape};
pub use verbatim::{verbatim, write_verbatim};

/// Writes a typed value as compact JSON, as every face writes answers.
///
/// ```
/// assert_eq!(adjudicate_lang::json::write(&("needs_human", 3)), r#"["needs_human",3]"#);
/// ```
///
/// The wire types hold strings, integers, booleans, lists and objects with string keys only, which always have a
/// JSON form; should one ever not, the answer is empty, which no reader takes for an answer.
pub fn write<T: serde::Serialize>(value: &T) -> String {
    write_within(value, usize::MAX).unwrap_or_default()
}

/// Like [`write()`]; `None` if the text has more than `limit` bytes.
pub fn write_within<T: serde::Serialize>(value: &T, limit: usize) -> Option<String> {
    // Few answers are shorter.
    let mut text = String::with_capacity(1024);
    value.serialize(&mut write::Writer(&mut text, limit)).ok().filter(|()| text.len() <= limit)?;
    Some(text)
}
