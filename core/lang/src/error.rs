//! The one error type: "there is no answer", with a code, a message and a JSON Pointer.

use alloc::{borrow::Cow, boxed::Box, format, string::String, sync::Arc, vec::Vec};
use core::{error, fmt, iter};

use crate::codes::ErrorCode;

/// The reason why there is no answer (docs/reference/errors.md).
///
/// Every interface prints it as `{"error": {"code", "message", "path", "others"?}}`. The message is for humans: lower case, no
/// full stop, input of the caller in backticks. Programs branch on the code.
///
/// ```
/// use adjudicate_lang::{Error, codes};
/// let error = Error::new(codes::INVALID_VALUE, "expected a string").at("/run_id");
/// assert_eq!(error.to_json(), r#"{"error":{"code":"invalid_value","message":"expected a string","path":"/run_id"}}"#);
/// ```
///
/// Two errors are equal if their codes, messages, paths and others are.
#[derive(Clone, Debug)]
pub struct Error(Box<ErrorData>);

/// Boxed, to keep results small: most functions return results, and few of those are errors.
#[derive(Clone, Debug)]
struct ErrorData {
    code: ErrorCode,
    message: Cow<'static, str>,
    path: String,
    source: Option<Arc<dyn error::Error + Send + Sync>>,
    others: Vec<Error>,
}

impl Error {
    /// Returns an error about the whole document (path `""`).
    #[cold]
    pub fn new(code: ErrorCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self::boxed(code, message.into())
    }

    #[cold]
    #[inline(never)]
    fn boxed(code: ErrorCode, message: Cow<'static, str>) -> Self {
        Self(Box::new(ErrorData { code, message, path: String::new(), source: None, others: Vec::new() }))
    }

    /// Returns an error that another error caused. The message is `message: source`.
    ///
    /// ```
    /// use adjudicate_lang::{Error, codes};
    /// use std::error::Error as _;
    /// let cause = "x".parse::<u8>().expect_err("no number");
    /// let error = Error::caused_by(codes::INVALID_VALUE, "no port", cause);
    /// assert_eq!(error.message(), "no port: invalid digit found in string");
    /// assert!(error.source().is_some_and(|source| source.is::<std::num::ParseIntError>()));
    /// ```
    #[cold]
    pub fn caused_by(
        code: ErrorCode,
        message: impl fmt::Display,
        source: impl Into<Box<dyn error::Error + Send + Sync>>,
    ) -> Self {
        let source = source.into();
        Self::new(code, format!("{message}: {source}")).with_source(source)
    }

    /// Sets the error that caused this one. The message stays.
    #[must_use]
    #[cold]
    pub fn with_source(mut self, source: impl Into<Box<dyn error::Error + Send + Sync>>) -> Self {
        self.0.source = Some(Arc::from(source.into()));
        self
    }

    /// Sets the next errors of the same document, in document order (docs/reference/errors.md). They must not have others of
    /// their own.
    #[must_use]
    pub fn with_others(mut self, others: Vec<Self>) -> Self {
        self.0.others = others;
        self
    }

    /// Returns this error, then the others.
    pub fn all(&self) -> impl Iterator<Item = &Self> {
        iter::once(self).chain(&self.0.others)
    }

    /// Changes this error, and each of the others.
    #[must_use]
    pub fn map_all(mut self, change: &dyn Fn(Self) -> Self) -> Self {
        let others = core::mem::take(&mut self.0.others);
        change(self).with_others(others.into_iter().map(change).collect())
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

    /// Puts `prefix`, a JSON Pointer, before the paths, because the document at fault is a part of another document.
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
        self.map_all(&|error| {
            let path = [prefix, error.path()].concat();
            error.pointing_at(path)
        })
    }

    /// Puts `what: ` before the message, to name the document or module at fault.
    #[must_use]
    #[cold]
    #[inline(never)]
    pub fn within(self, what: &str) -> Self {
        self.map_all(&|mut error| {
            error.0.message = format!("{what}: {}", error.0.message).into();
            error
        })
    }

    /// Replaces the message and the path. Code, source and others stay.
    ///
    /// ```
    /// use adjudicate_lang::{Error, codes};
    /// use std::error::Error as _;
    /// let cause = "x".parse::<u8>().expect_err("no number");
    /// let error = Error::caused_by(codes::INVALID_VALUE, "no port", cause).reworded("expected a port", "/port");
    /// assert_eq!(error.to_string(), "invalid_value: expected a port at /port");
    /// assert!(error.source().is_some());
    /// ```
    #[must_use]
    pub fn reworded(mut self, message: impl Into<Cow<'static, str>>, path: impl Into<String>) -> Self {
        self.0.message = message.into();
        self.at(path)
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

impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        let [own, its] = [self, other].map(|error| (error.code(), error.message(), error.path()));
        own == its && self.0.others == other.0.others
    }
}

impl Eq for Error {}

impl fmt::Display for Error {
    /// Writes `code: message`, and ` at path` if there is a path.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code(), self.message())?;
        match self.path() {
            "" => Ok(()),
            path => write!(f, " at {path}"),
        }
    }
}

impl error::Error for Error {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}
