//! The documents that schemas may refer to.

use alloc::vec::Vec;

use super::dialect::Draft;
use crate::json::Node;

/// Documents by URI. Nothing is fetched: a reference to any other document is an error. The meta-schemas of both drafts and their
/// vocabularies are built in.
///
/// ```
/// use adjudicate_lang::{Steps, json::{self, ReadLimits}, schema::{Documents, Options, Schema}};
/// let names = json::read(br#"{"$defs": {"name": {"minLength": 1}}}"#, ReadLimits::DOCUMENT)?;
/// let schema = json::read(br##"{"items": {"$ref": "names.json#/$defs/name"}}"##, ReadLimits::DOCUMENT)?;
/// let documents = Documents::default().with("names.json", names.root());
/// let schema = Schema::compile(schema.root(), &documents, Options::default(), &mut Steps::default())?;
///
/// let list = json::read(br#"["a", ""]"#, ReadLimits::DOCUMENT)?;
/// let found = schema.validate(list.root(), &mut Steps::default())?;
/// assert_eq!(found[0].schema_path, "names.json#/$defs/name/minLength");
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Documents<'d>(Vec<(&'d str, Node<'d>)>);

impl<'d> Documents<'d> {
    /// Adds a document. An empty fragment of its URI is ignored. If two documents have the same URI, references name the first.
    #[must_use]
    pub fn with(mut self, uri: &'d str, document: Node<'d>) -> Self {
        self.push(uri, document);
        self
    }

    pub(super) fn push(&mut self, uri: &'d str, document: Node<'d>) {
        self.0.push((uri.strip_suffix('#').unwrap_or(uri), document));
    }

    /// Returns all documents in the order in which they were added.
    pub(super) fn all(&self) -> &[(&'d str, Node<'d>)] {
        &self.0
    }
}

/// The options of the compiler.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The draft of documents without `$schema`.
    pub draft: Draft,
    /// True if `format` asserts. Otherwise it only annotates, unless a meta-schema enables the vocabulary that asserts.
    pub formats: bool,
}
