//! Documents as types: the reader and the shape that `#[derive(Document)]` generates from a struct or an enum.
//!
//! The reader continues after an error, so an error has up to nine others (docs/reference/errors.md). Errors come in document
//! order. A missing field counts at the end of its object. If an unknown field is probably a misspelt one, only the unknown field
//! is an error. The reader skips fields whose names begin with `x-`, unless the type is `closed`.
//!
//! ```
//! use adjudicate_lang::{document::{self, Document}, json};
//! #[derive(Document)]
//! #[document(expecting = "a size")]
//! struct Size<'a> { unit: &'a str, width: u64, depth: Option<u64> }
//! let tape = json::read(br#"{"width": 3, "unit": "cm", "x-note": null}"#, json::ReadLimits::DOCUMENT)?;
//! let size: Size<'_> = document::read(tape.root())?;
//! assert_eq!((size.width, size.unit, size.depth), (3, "cm", None));
//! let tape = json::read(br#"{"widht": 3, "depth": -1}"#, json::ReadLimits::DOCUMENT)?;
//! let error = document::read::<Size<'_>>(tape.root()).map(drop).unwrap_err();
//! let paths: Vec<_> = error.all().map(adjudicate_lang::Error::path).collect();
//! assert_eq!(paths, ["/widht", "/depth", "/unit"]);
//! # Ok::<(), adjudicate_lang::Error>(())
//! ```
//!
//! With a tag, an enum is an object whose other fields depend on the word in the tag:
//!
//! ```
//! use adjudicate_lang::{document::{self, Document, Id, Magnitude}, json};
//! #[derive(Document)]
//! #[serde(tag = "kind", rename_all = "snake_case")]
//! #[document(expecting = "a trigger", root)]
//! enum Trigger<'a> { Manual, Timeout { ms: Magnitude }, MetricBelow { metric: Id<'a>, #[document(default = 1)] times: u64 } }
//! let tape = json::read(br#"{"metric": "coverage", "kind": "metric_below", "$schema": ""}"#, json::ReadLimits::DOCUMENT)?;
//! assert!(matches!(document::read(tape.root())?, Trigger::MetricBelow { metric: Id("coverage"), times: 1 }));
//! let tape = json::read(br#"{"kind": "timeout", "metric": "coverage"}"#, json::ReadLimits::DOCUMENT)?;
//! let error = document::read::<Trigger<'_>>(tape.root()).map(drop).unwrap_err();
//! assert_eq!(Vec::from_iter(error.all().map(adjudicate_lang::Error::path)), ["/metric", "/ms"]);
//! # Ok::<(), adjudicate_lang::Error>(())
//! ```
//!
//! With `#[document(owned)]`, a struct has an owned form, which serde writes and reads, and which keeps the fields of extensions:
//!
//! ```
//! use adjudicate_lang::{document::Document, json::OwnedValue};
//! /// A size.
//! #[derive(Document)]
//! #[document(owned, expecting = "a size")]
//! struct Size<'a> { unit: &'a str, width: u64, depth: Option<u64>, #[serde(default)] notes: Vec<&'a str> }
//! let mut size = OwnedSize::from_json(br#"{"width": 3, "x-by": ["ann"], "unit": "cm"}"#)?;
//! assert_eq!(size.notes, None);
//! size.depth = Some(2);
//! assert_eq!(size.to_json(), r#"{"unit":"cm","width":3,"depth":2,"x-by":["ann"]}"#);
//! assert_eq!(size.extra["x-by"], OwnedValue::texts(["ann"]));
//! let error = serde_json::from_str::<OwnedSize>(r#"{"widht": 3, "unit": "cm"}"#).unwrap_err();
//! assert_eq!(error.to_string(), "unknown_field: unknown field `widht`, did you mean `width`? at /widht");
//! # Ok::<(), adjudicate_lang::Error>(())
//! ```
//!
//! A struct that the engine only writes may have an answer form: the same fields, as a host reads them from the answer of any engine.
//!
//! ```
//! use adjudicate_lang::{document::{self, Describe}, json};
//! /// A size.
//! #[derive(Describe, serde::Serialize)]
//! #[document(answer(AnswerSize, "a size"))]
//! struct Size {
//!     unit: String,
//!     depth: Option<usize>,
//!     #[serde(skip_serializing_if = "Option::is_none")]
//!     note: Option<String>,
//!     #[document(accepts = "Option<u64>")]
//!     width: u64,
//! }
//! let tape = json::read(br#"{"unit": "cm", "depth": null}"#, json::ReadLimits::DOCUMENT)?;
//! let size: AnswerSize<'_> = document::read(tape.root())?;
//! assert_eq!((size.unit, size.depth.0, size.note, size.width), ("cm", None, None, None));
//! let tape = json::read(br#"{"unit": "cm", "note": null, "width": 3}"#, json::ReadLimits::DOCUMENT)?;
//! let error = document::read::<AnswerSize<'_>>(tape.root()).map(drop).unwrap_err();
//! assert_eq!(Vec::from_iter(error.all().map(adjudicate_lang::Error::path)), ["/note", "/depth"]);
//! # Ok::<(), adjudicate_lang::Error>(())
//! ```
//!
//! A field can keep the whole object as it was written, with the fields that the type does not declare:
//!
//! ```
//! use adjudicate_lang::{document::{self, Document}, json::{self, Node}};
//! #[derive(Document)]
//! #[document(expecting = "a size")]
//! struct Size<'a> { width: u64, #[document(source)] source: Node<'a> }
//! let tape = json::read(br#"{"width": 3, "x-unit": "cm"}"#, json::ReadLimits::DOCUMENT)?;
//! let size: Size<'_> = document::read(tape.root())?;
//! assert_eq!((size.width, json::canonical(size.source).as_str()), (3, r#"{"width":3,"x-unit":"cm"}"#));
//! # Ok::<(), adjudicate_lang::Error>(())
//! ```
//!
//! An attribute of serde that the reader does not know does not compile:
//!
//! ```compile_fail
//! use adjudicate_lang::document::Document;
//! #[derive(Document)]
//! #[document(expecting = "a size")]
//! struct Size { #[serde(default = "one")] width: u64 }
//! fn one() -> u64 { 1 }
//! ```
//!
//! # Descriptions
//!
//! Each type also describes itself ([`Describe`]): its doc comments, fields, defaults and words as data. Generators make schemas
//! and lists from descriptions, for example [`SchemaRoot`] a JSON Schema. The engine never asks for a description, so its module
//! has none.

mod definition;
mod describe;
mod distinct;
mod json_schema;
#[doc(hidden)]
pub mod owned;
mod prose;
mod reader;
mod shape;
mod values;

pub use adjudicate_derive::{Describe, Document};

#[doc(hidden)]
pub use crate::__describe as describe;
pub use definition::{Content, Definition, Field, Tagged, Type, Word, definitions};
pub use describe::Describe;
pub use distinct::{Distinct, Keyed};
pub use json_schema::SchemaRoot;
pub use owned::{Extra, IntoOwned};
pub use prose::plain;
pub use reader::{Fields, MOST_ERRORS, Others, Reader};
pub use shape::{Member, PathTarget, Presence, Shape, Variant};
pub use values::{
    AtLeast, Condition, FormatVersion, Id, IfObject, Magnitude, Notes, Object, OwnedId, SchemaDocument,
};

use core::mem;

use crate::{
    error::Error,
    json::{self, Node, ReadLimits},
};

/// A document, or a value in one.
pub trait Document<'t>: Sized {
    /// The shape of the values.
    const SHAPE: Shape;

    /// Reads a value; `None` after an error, which the reader has.
    fn read(node: Node<'t>, reader: &mut Reader) -> Option<Self>;
}

/// Reads a field into its variable, which is empty.
///
/// No name is twice in an object, so there is no earlier value, and no code that drops it.
#[doc(hidden)]
#[inline(never)]
pub fn fill<'t, T: Document<'t>>(variable: &mut Option<T>, node: Node<'t>, reader: &mut Reader) {
    mem::forget(mem::replace(variable, T::read(node, reader)));
}

/// Reads a document.
///
/// # Errors
///
/// The first error in document order, with up to nine others.
pub fn read<'t, T: Document<'t>>(node: Node<'t>) -> Result<T, Error> {
    let mut reader = Reader::default();
    let value = T::read(node, &mut reader);
    reader.end(value)
}

/// Reads the text of a document that keeps nothing of the text.
///
/// # Errors
///
/// Those of [`json::read`] and [`read`].
///
/// ```
/// use adjudicate_lang::{document::{self, Document}, json::ReadLimits};
/// #[derive(Document)]
/// #[document(expecting = "a size")]
/// struct Size { width: u64 }
/// let size: Size = document::parse(br#"{"width": 3}"#, ReadLimits::DOCUMENT)?;
/// assert_eq!(size.width, 3);
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
pub fn parse<T: for<'t> Document<'t>>(text: &[u8], limits: ReadLimits) -> Result<T, Error> {
    read(json::read(text, limits)?.root())
}
