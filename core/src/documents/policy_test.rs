//! The tests of a policy as they are on the wire.

use adjudicate_lang::document::{Document, Object};

/// A test of a policy.
#[derive(Clone, Copy, Debug, Document)]
#[document(expecting = "a test object")]
pub struct TestDocument<'a> {
    /// The name: unique, and not empty.
    #[document(schema = r#"{"minLength": 1}"#)]
    pub name: &'a str,
    /// The envelope that is evaluated, an object.
    pub input: Object<'a>,
    /// The expected part of the answer, an object: see [`differences`](crate::check::differences). A test whose input gets no answer
    /// fails with the error, unless this is `{"error": {...}}` and the error has these fields.
    pub expect: Object<'a>,
}
