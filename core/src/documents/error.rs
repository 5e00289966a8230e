//! The reply to a call that has no answer.

use alloc::{string::String, vec::Vec};

use adjudicate_lang::document::{Content, Definition, Describe, Type};

use super::check_finding::WitnessError;

/// The reply to a call that has no answer.
#[derive(Describe)]
#[document(name = "ErrorReply")]
#[expect(dead_code, reason = "`Error` writes itself")]
pub(crate) struct ErrorAnswer {
    /// The first error.
    error: ErrorObject,
}

/// An error, with the next errors of the same document.
#[derive(Describe)]
#[expect(dead_code, reason = "`Error` writes itself")]
struct ErrorObject {
    /// The stable code, for example `missing_field`.
    code: ErrorCode,
    /// The reason, for humans.
    message: String,
    /// JSON Pointer into the document at fault.
    path: String,
    /// The next errors, in document order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[document(schema = r#"{"minItems": 1, "maxItems": 9}"#)]
    others: Vec<WitnessError>,
}

/// The code of an error.
struct ErrorCode;

static ERROR_CODE: Definition = Definition {
    name: "ErrorCode",
    source: "adjudicate_core::documents::error::ErrorCode",
    about: "The code of an error.",
    content: Content::Type(String::describe),
    keywords: "",
};

impl Describe for ErrorCode {
    #[inline]
    fn describe() -> Type {
        Type::Named(&ERROR_CODE)
    }
}
