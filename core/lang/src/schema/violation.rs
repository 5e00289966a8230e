//! The violations of a schema by an instance.

use alloc::string::String;
use core::cmp::Ordering;

use serde::Serialize;

use crate::{document::Describe, json::compare_pointers};

/// One keyword that does not hold for one value (docs/reference/schema.md).
///
/// ```
/// use adjudicate_lang::{Steps, json::{self, ReadLimits}, schema::{Documents, Options, Schema}};
/// let schema = json::read(br#"{"items": {"type": ["string", "null"]}}"#, ReadLimits::DOCUMENT)?;
/// let steps = &mut Steps::default();
/// let schema = Schema::compile(schema.root(), &Documents::default(), Options::default(), steps)?;
/// let instance = json::read(br#"["a", 1]"#, ReadLimits::DOCUMENT)?;
/// let found = schema.validate(instance.root(), steps)?;
/// assert_eq!((&*found[0].instance_path, found[0].keyword, &*found[0].expected), ("/1", "type", "null or a string"));
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
#[document(answer(AnswerViolation, "a violation"), owned)]
pub struct Violation {
    /// JSON Pointer to the value.
    pub instance_path: String,
    /// JSON Pointer to the keyword. It passes through no reference, so you can follow it in the schema. In a document that you
    /// passed with the schema, its URI and `#` come first.
    pub schema_path: String,
    /// The keyword. For a schema that is `false`, the keyword that has this schema as its value, or `false`.
    pub keyword: &'static str,
    /// The expected value, for humans.
    pub expected: String,
}

impl Violation {
    /// Compares two violations by the path of the value, then the path of the keyword, segment by segment.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        compare_pointers(&self.instance_path, &other.instance_path)
            .then_with(|| compare_pointers(&self.schema_path, &other.schema_path))
            .then_with(|| self.expected.cmp(&other.expected))
    }
}
