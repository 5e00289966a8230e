//! What is wrong with an instance.

use alloc::string::String;
use core::cmp::Ordering;

use crate::json::compare_pointers;

/// One keyword that does not hold for one value (SPEC section 6).
///
/// ```
/// use adjudicate_lang::{Steps, json::{self, Limits}, schema::{Documents, Options, Schema}};
/// let schema = json::read(br#"{"items": {"type": ["string", "null"]}}"#, Limits::DOCUMENT)?;
/// let steps = &mut Steps::default();
/// let schema = Schema::compile(schema.root(), &Documents::default(), Options::default(), steps)?;
/// let instance = json::read(br#"["a", 1]"#, Limits::DOCUMENT)?;
/// let found = schema.validate(instance.root(), steps)?;
/// assert_eq!((&*found[0].instance_path, found[0].keyword, &*found[0].expected), ("/1", "type", "null or a string"));
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// JSON Pointer to the value.
    pub instance_path: String,
    /// JSON Pointer to the keyword, through no reference: it can be followed in the schema. For a schema of a document
    /// that was handed in, its URI and `#` come before the pointer.
    pub schema_path: String,
    /// The keyword; where a schema is `false`, the one that it is the value of, or `false`.
    pub keyword: &'static str,
    /// What would have been right, for people.
    pub expected: String,
}

impl Violation {
    /// The order in which violations are listed: by the value, then by the keyword, segment by segment.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        compare_pointers(&self.instance_path, &other.instance_path)
            .then_with(|| compare_pointers(&self.schema_path, &other.schema_path))
            .then_with(|| self.expected.cmp(&other.expected))
    }
}
