//! Strict JSON: reading with pointers, writing, canonical form and digests.
//!
//! Reading has two steps. [`read`] checks the text (syntax, UTF-8, duplicate keys, depth, size) and stores it as a flat [`Tape`].
//! [`document::read`](crate::document::read) then fills a typed value from the tape. So every text error comes before any error
//! about types. Both come in document order, each with the JSON Pointer of the field.
//!
//! This crate does not use the reader of `serde_json`, because its options do not suffice. Here, duplicate keys are errors even in
//! ignored fields, 128 nested containers pass and 129 do not, and pointers are exact. No Cargo feature that another crate enables
//! can change an answer. This crate also has its own writer, because that of `serde_json` contains tables of powers of ten.
//!
//! Types in other modules declare the fields of each object.

mod canonical;
mod editable;
mod error;
mod float_text;
mod glance;
mod keys;
mod lexer;
mod messages;
pub(crate) mod names;
mod nullable;
mod number;
pub mod object;
mod owned;
mod owned_de;
mod pointer;
mod positions;
mod reader;
mod suggest;
mod tape;
mod verbatim;
mod write;

use alloc::string::String;

pub use canonical::{canonical, digest, exact, write_string};
pub use editable::EditableText;
pub(crate) use glance::{Beyond, Ends, Glance, ends};
pub(crate) use messages::{hint, list as listed};
pub use messages::{shorten, unknown};
pub use nullable::Nullable;
pub use owned::OwnedValue;
pub(crate) use pointer::is_index;
pub use pointer::{
    Pointer, behind_field, compare as compare_pointers, is_pointer, push_segment, unescape_segment,
};
pub use reader::{MAX_ANSWER_BYTES, MAX_DEPTH, MAX_DOCUMENT_BYTES, ReadLimits, read};
pub use suggest::closest;
pub(crate) use suggest::is_close;
pub(crate) use tape::Items;
pub use tape::{Kind, Node, Tape};
pub use verbatim::{verbatim, write_verbatim};

/// Writes a typed value as compact JSON. Every interface writes its answers so.
///
/// ```
/// assert_eq!(adjudicate_lang::json::write(&("needs_human", 3)), r#"["needs_human",3]"#);
/// ```
///
/// Documents have only strings, numbers, booleans, lists and objects with string keys, which always have a JSON form. For any other
/// value the text is empty, which is not JSON.
pub fn write<T: serde::Serialize>(value: &T) -> String {
    write_within(value, usize::MAX).unwrap_or_default()
}

/// Writes as [`write()`] does. Returns `None` if the text has more than `limit` bytes.
pub fn write_within<T: serde::Serialize>(value: &T, limit: usize) -> Option<String> {
    // Few answers are shorter.
    let mut text = String::with_capacity(1024);
    value.serialize(&mut write::JsonWriter(&mut text, limit)).ok().filter(|()| text.len() <= limit)?;
    Some(text)
}
