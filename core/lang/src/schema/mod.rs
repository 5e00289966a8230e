//! JSON Schema, draft-07 and 2020-12 (docs/reference/schema.md): compiled once, validated without allocation.
//!
//! ```text
//! JSON -> subschema index (URIs, anchors) -> compile (keyword by keyword) -> Schema
//! Schema -> validate(instance, Steps) -> yes or no, or [Violation]
//! ```
//!
//! - [`Schema`] is the compiled form: flat lists, a few numbers for each schema. It borrows nothing.
//! - [`Documents`] are the documents that references may name. The meta-schemas of both drafts and their vocabularies are built in.
//!   Nothing is fetched.
//! - [`Violation`] is one failed keyword, with the path of the value. [`check_text`] validates a whole JSON call and lists all of
//!   them.
//! - [`Draft`] is the version that `$schema` names. [`Options`] has the default for documents without `$schema`. Every other draft
//!   is an error. You can pass your own meta-schema in the documents; its `$vocabulary` counts.
//!
//! # Conformance
//!
//! All asserting keywords of both drafts follow the specification, and every required case of the public test suite passes.
//! Numbers are compared exactly, `multipleOf` divides decimals exactly, `1` equals `1.0`, and lengths count code points. Patterns
//! are those of [`pattern`](crate::pattern), which take linear time: look-around and back-references are compile errors. In
//! draft-07, a `$ref` disables all keywords next to it. Unknown keywords, content keywords and annotations assert nothing.
//!
//! `format` annotates by default, as in both drafts. To make it assert, set [`Options::formats`] or use the vocabulary
//! `format-assertion`. Then these formats assert, and all others still annotate:
//!
//! | format | draft | what is allowed |
//! | --- | --- | --- |
#![doc = include_str!("formats.md")]
//!
//! # Limits
//!
//! Each applied schema and each compared byte takes from the step budget. After many applications, the validator stores results
//! in a memo table, so schemas that branch repeatedly to the same schema stay cheap. Only unbounded branching to different
//! schemas, which `$dynamicRef` allows, ends in `limit_exceeded`. A schema that refers to itself without a step into the instance
//! is a compile error.
//!
//! Schemas nest at most 576 deep, because the stack of a module is small. Recursive schemas still accept instances of every depth
//! that documents may have, even if each level goes through `anyOf`, `allOf` and `unevaluatedProperties`. One instance has at
//! most 10,000 violations.
//!
//! This module does not know the purpose of a schema. Its callers supply the schemas and handle the violations.

mod annotations;
mod apply;
mod call;
mod compile;
mod compiler;
mod dialect;
mod discriminator;
mod documents;
mod equality_key;
mod errors;
mod format;
mod keyword;
mod keywords;
mod lists;
mod lookup;
mod memo;
mod memoize;
mod meta;
mod names;
mod pointer;
mod range;
mod reference_cycles;
mod report;
mod resolve;
mod subschema_index;
mod tree;
mod uri;
mod validate;
mod value_types;
mod view;
mod violation;

pub use call::{OwnedSchemaCheck, SchemaCheck, check_text};
pub use dialect::Draft;
pub use documents::{Documents, Options};
pub use format::is_date_time;
pub use range::SchemaId;
pub use tree::Schema;
pub use view::{KeywordLocation, PropertyRules, RuleView, ValueConstraint};
pub use violation::{OwnedViolation, Violation};
