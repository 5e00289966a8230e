//! The documents that schemas may refer to.

use alloc::vec::Vec;

use super::dialect::Draft;
use crate::json::Node;

/// Documents by their URIs. Nothing is fetched: a reference to any other document is an error, except to the meta-schemas of
/// both drafts and of their vocabularies, which need not be handed in.
///
/// ```
/// use adjudicate_lang::{Steps, json::{self, Limits}, schema::{Documents, Options, Schema}};
/// let names = json::read(br#"{"$defs": {"name": {"minLength": 1}}}"#, Limits::DOCUMENT)?;
/// let schema = json::read(br##"{"items": {"$ref": "names.json#/$defs/name"}}"##, Limits::DOCUMENT)?;
/// let documents = Documents::default().with("names.json", names.root());
/// let schema = Schema::compile(schema.root(), &documents, Options::default(), &mut Steps::default())?;
///
/// let list = json::read(br#"["a", ""]"#, Limits::DOCUMENT)?;
/// let found = schema.validate(list.root(), &mut Steps::default())?;
/// assert_eq!(found[0].schema_path, "names.json#/$defs/name/minLength");
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Documents<'d>(Vec<(&'d str, Node<'d>)>);

impl<'d> Documents<'d> {
    /// The same with one more document; an empty fragment of its URI does not count, and of two with one URI the first
    /// is referred to.
    #[must_use]
    pub fn with(mut self, uri: &'d str, document: Node<'d>) -> Self {
        self.0.push((uri.strip_suffix('#').unwrap_or(uri), document));
        self
    }

    /// All of them, as they were handed in.
    pub(super) fn all(&self) -> &[(&'d str, Node<'d>)] {
        &self.0
    }
}

/// How a schema is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The draft of documents that do not name theirs with `$schema`.
    pub draft: Draft,
    /// Whether `format` asserts. It only annotates otherwise, as both drafts have it by default, unless a meta-schema
    /// asks for the vocabulary that asserts.
    pub formats: bool,
}
