//! Errors of calls.

use alloc::{borrow::Cow, boxed::Box, string::String};

use crate::text::{push, push_segment};

/// The error of a call: `{"error": {code, message, path}}` on the wire.
///
/// Return an error for an input that your policy must never see. If evidence is merely unknown, return a
/// [`Finding`](crate::Finding) that calls for a human.
///
/// ```
/// use adjudicate_guest::Error;
/// let error = Error::new("no_budget", "there is no budget for this run").at("/evidence/x-cost");
/// assert_eq!((error.code(), error.path()), ("no_budget", "/evidence/x-cost"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<ErrorFields>);

/// In a box, because many functions return errors, and each would copy the fields.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ErrorFields {
    code: &'static str,
    message: Cow<'static, str>,
    path: String,
}

impl Error {
    /// An error of your policy. The code has 1 to 64 lower-case letters, digits and `_`. Codes of hosts are `trap`,
    /// `wrong_usage`, `unwritable_output`, and all that begin with `module_` or `host_`. Any other form and any code of
    /// hosts becomes `invalid_value`, because a host rejects such a reply as malformed.
    ///
    /// ```
    /// use adjudicate_guest::Error;
    /// assert_eq!(Error::new("no_budget", "there is no budget").code(), "no_budget");
    /// assert_eq!(Error::new("module_trap", "not for a policy to say").code(), "invalid_value");
    /// ```
    #[must_use]
    pub fn new(code: &'static str, message: impl Into<Cow<'static, str>>) -> Self {
        let code = if may_be_reported(code) { code } else { INVALID_VALUE };
        Self(Box::new(ErrorFields { code, message: message.into(), path: String::new() }))
    }

    /// The same error at a JSON Pointer into the envelope.
    ///
    /// ```
    /// # use adjudicate_guest::Error;
    /// assert_eq!(Error::new("no_budget", "there is none").at("/evidence/x-cost").path(), "/evidence/x-cost");
    /// ```
    #[must_use]
    pub fn at(mut self, pointer: impl Into<String>) -> Self {
        self.0.path = pointer.into();
        self
    }

    /// The code.
    ///
    /// ```
    /// # use adjudicate_guest::Error;
    /// assert_eq!(Error::new("no_budget", "there is none").code(), "no_budget");
    /// ```
    #[must_use]
    pub fn code(&self) -> &str {
        self.0.code
    }

    /// The message, for people.
    ///
    /// ```
    /// # use adjudicate_guest::Error;
    /// assert_eq!(Error::new("no_budget", "there is none").message(), "there is none");
    /// ```
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The JSON Pointer of the fault in the document.
    ///
    /// ```
    /// # use adjudicate_guest::Error;
    /// assert_eq!(Error::new("no_budget", "there is none").path(), "");
    /// ```
    #[must_use]
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// The same error, with a segment before its path.
    #[cold]
    #[inline(never)]
    pub(crate) fn under(mut self, segment: &str) -> Self {
        let mut path = String::new();
        push_segment(&mut path, segment);
        push(&mut path, &self.0.path);
        self.0.path = path;
        self
    }

    /// The same error, with the name of the document before its message.
    #[cold]
    #[inline(never)]
    pub(crate) fn within(mut self, document: &str) -> Self {
        let mut message = String::from(document);
        push(&mut message, ": ");
        push(&mut message, &self.0.message);
        self.0.message = message.into();
        self
    }
}

pub(crate) const MALFORMED_JSON: &str = "malformed_json";
pub(crate) const DUPLICATE_KEY: &str = "duplicate_key";
pub(crate) const LIMIT_EXCEEDED: &str = "limit_exceeded";
pub(crate) const UNKNOWN_FIELD: &str = "unknown_field";
pub(crate) const MISSING_FIELD: &str = "missing_field";
pub(crate) const INVALID_VALUE: &str = "invalid_value";
pub(crate) const UNSUPPORTED_OPERATION: &str = "unsupported_operation";

/// Returns whether a module may report a code (section "A call" of the interface).
fn may_be_reported(code: &str) -> bool {
    let spelled = code.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'));
    let hosts = ["module_", "host_"].iter().any(|prefix| code.starts_with(prefix))
        || ["trap", "wrong_usage", "unwritable_output"].contains(&code);
    spelled && !hosts && (1..=64).contains(&code.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_that_a_host_refuses_become_invalid_value() {
        for code in
            ["", "Bad Code", "module_trap", "host_fault", "trap", "wrong_usage", "unwritable_output", "é"]
        {
            assert_eq!(Error::new(code, "m").code(), INVALID_VALUE, "{code}");
        }
        for code in ["a", "no_budget", "missing_field", "trap_door", "modules_2"] {
            assert_eq!(Error::new(code, "m").code(), code);
        }
    }
}
