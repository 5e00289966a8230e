//! The one error type: "there is no answer", with a code, a message and a JSON Pointer.

use alloc::{borrow::Cow, boxed::Box, string::String};

use crate::codes::ErrorCode;

/// The reason for which there is no answer (SPEC section 1, rule 6).
///
/// Every interface prints it as `{"error": {"code", "message", "path"}}`. The message is for humans: lower case, no full stop,
/// input of the caller in backticks. Programs branch on the code.
///
/// ```
/// use adjudicate_lang::{Error, codes};
/// let error = Error::new(codes::INVALID_VALUE, "expected a string").at("/run_id");
/// assert_eq!(error.to_json(), r#"{"error":{"code":"invalid_value","message":"expected a string","path":"/run_id"}}"#);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {}{}{}", self.code().as_str(), self.message(), if self.path().is_empty() { "" } else { " at " }, self.path())]
pub struct Error(Box<Parts>);

/// In a box, so that a result is small: every function returns results, and few of them are errors.
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

    /// Sets the path, a JSON Pointer (RFC 6901).
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

    /// Puts `prefix`, a JSON Pointer, before the path: the document at fault is the part at `prefix` of another document.
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

    /// Puts `what: ` before the message, to name the document or module at fault.
    #[must_use]
    #[cold]
    #[inline(never)]
    pub fn within(mut self, what: &str) -> Self {
        self.0.message = alloc::format!("{what}: {}", self.0.message).into();
        self
    }

    /// Returns the stable code.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// Returns the message for humans.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the JSON Pointer of the wrong or missing field, relative to the document at fault.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.0.path
    }
}
