//! The one error type: "there is no answer", with a code, a message and a JSON Pointer.

use alloc::{borrow::Cow, boxed::Box, string::String};

use crate::codes::ErrorCode;

/// Why there is no answer (SPEC section 1, rule 6).
///
/// Printed by every face as `{"error": {"code", "message", "path"}}`. The message is for people: lower case, no
/// full stop, the caller's own words in backticks. Programs branch on the code.
///
/// ```
/// use adjudicate_lang::{Error, codes};
/// let error = Error::new(codes::INVALID_VALUE, "expected a string").at("/run_id");
/// assert_eq!(error.to_json(), r#"{"error":{"code":"invalid_value","message":"expected a string","path":"/run_id"}}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {}{}{}", self.code().as_str(), self.message(), if self.path().is_empty() { "" } else { " at " }, self.path())]
pub struct Error(Box<Parts>);

/// In a box, so that a result is small: every function hands results on, and few of them are errors.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Parts {
    code: ErrorCode,
    message: Cow<'static, str>,
    path: String,
}

impl Error {
    /// An error about the document as a whole (path `""`).
    #[cold]
    pub fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self::boxed(code, message.into())
    }

    #[cold]
    #[inline(never)]
    fn boxed(code: ErrorCode, message: Cow<'static, str>) -> Self {
        Self(Box::new(Parts { code, message, path: String::new() }))
    }

    /// The same error, pointing at `path` (a JSON Pointer, RFC 6901).
    #[must_use]
    pub fn at(self, path: impl Into<String>) -> Self {
        self.pointing_at(path.into())
    }

    #[cold]
    #[inline(never)]
    fn pointing_at(mut self, path: String) -> Self {
        self.0.path = path;
        self
    }

    /// The same error, about a document of which the document at fault is the part at `prefix`, a JSON Pointer.
    ///
    /// ```
    /// use adjudicate_lang::{Error, codes};
    /// let error = Error::new(codes::INVALID_VALUE, "expected a string").at("/when");
    /// assert_eq!(error.below("/rules/2").path(), "/rules/2/when");
    /// ```
    #[must_use]
    #[cold]
    #[inline(never)]
    pub fn below(self, prefix: &str) -> Self {
        let path = [prefix, self.path()].concat();
        self.pointing_at(path)
    }

    /// The same error, its message begun with `what:`, to name the document or module at fault.
    #[must_use]
    #[cold]
    #[inline(never)]
    pub fn within(mut self, what: &str) -> Self {
        self.0.message = alloc::format!("{what}: {}", self.0.message).into();
        self
    }

    /// The stable code.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// What went wrong, for people.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// JSON Pointer to the offending or absent member, relative to the document at fault.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.0.path
    }
}
