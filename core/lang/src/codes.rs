//! Error codes: why a call has no answer.
//!
//! Each crate declares the codes that it raises in its module `codes`, with [`error_codes!`](crate::error_codes). The module also
//! exports the codes of the crates below, so that one import is enough.

use alloc::vec::Vec;
use core::fmt;

/// The subject of an error. It determines the exit status of the command.
///
/// A policy module may report only errors about an input or an operation. The program that runs the module reports the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The input, or the policy.
    Input,
    /// The operation: this engine or module does not offer it.
    Operation,
    /// The call of the command or the library.
    Usage,
    /// The file or stream that the answer is written to.
    Output,
    /// The program that answers: the engine, a policy module, or the host with its slots and store.
    Module,
}

/// A stable code for "there is no answer" (docs/reference/errors.md). Its text never changes after a release.
///
/// The codes are constants in the modules `codes`, and you can match on them. Two codes are equal if their texts and subjects
/// are equal.
///
/// ```
/// use adjudicate_lang::{Error, codes};
/// let error = Error::new(codes::UNKNOWN_FIELD, "unknown field `runid`");
/// let is_about_a_field = match error.code() {
///     codes::LIMIT_EXCEEDED | codes::MALFORMED_JSON => false,
///     code => code == codes::UNKNOWN_FIELD,
/// };
/// assert!(is_about_a_field);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ErrorCode(&'static ErrorCodeData);

/// The part of a code that errors carry. [`ErrorCodeEntry`] has the meanings, so that a program that does not read their texts
/// does not contain them.
#[doc(hidden)]
#[derive(PartialEq, Eq)]
pub struct ErrorCodeData {
    pub text: &'static str,
    pub subject: Subject,
}

impl ErrorCode {
    #[doc(hidden)]
    #[must_use]
    pub const fn declare(declared: &'static ErrorCodeData) -> Self {
        Self(declared)
    }

    /// Returns the code as written in `{"error": {"code": ...}}`.
    ///
    /// ```
    /// assert_eq!(adjudicate_lang::codes::UNKNOWN_FIELD.as_str(), "unknown_field");
    /// ```
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0.text
    }

    /// Returns the subject of the code.
    ///
    /// ```
    /// use adjudicate_lang::{Subject, codes};
    /// assert_eq!(codes::UNKNOWN_FIELD.subject(), Subject::Input);
    /// ```
    #[must_use]
    pub const fn subject(self) -> Subject {
        self.0.subject
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

impl fmt::Debug for ErrorCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A code with its texts on the page of all codes, `docs/reference/error-codes.md`.
#[derive(Clone, Copy, Debug)]
pub struct ErrorCodeEntry {
    /// The code.
    pub code: ErrorCode,
    /// The meaning: one clause without a full stop.
    pub meaning: &'static str,
    /// The fix: one or two sentences on how to get an answer.
    pub fix: &'static str,
}

/// The codes that one crate raises, with a link to the codes of the crates below.
#[derive(Clone, Copy, Debug)]
pub struct ErrorCodeTable {
    /// The name of the crate, for example `adjudicate-core`.
    pub layer: &'static str,
    /// The codes that the crate itself declares.
    pub rows: &'static [ErrorCodeEntry],
    /// The table of the crate below, or `None` in the lowest crate.
    pub below: Option<&'static Self>,
}

impl ErrorCodeTable {
    /// Returns the codes of this crate and of all crates below, the lowest crate first.
    ///
    /// ```
    /// let all = adjudicate_lang::codes::TABLE.all();
    /// assert_eq!(all[0].as_str(), "malformed_json");
    /// ```
    #[must_use]
    pub fn all(&self) -> Vec<ErrorCode> {
        let mut all = self.below.map_or_else(Vec::new, Self::all);
        all.extend(self.rows.iter().map(|row| row.code));
        all
    }

    /// Returns the code with this text, or `None` if neither this crate nor a crate below declares it.
    ///
    /// ```
    /// use adjudicate_lang::codes;
    /// assert_eq!(codes::TABLE.find("duplicate_key"), Some(codes::DUPLICATE_KEY));
    /// assert_eq!(codes::TABLE.find("no_such_code"), None);
    /// ```
    #[must_use]
    pub fn find(&self, text: &str) -> Option<ErrorCode> {
        let own = self.rows.iter().map(|row| row.code).find(|code| code.as_str() == text);
        own.or_else(|| self.below?.find(text))
    }
}

/// Declares the codes of one crate: a constant for each code, and `TABLE` with their meanings and fixes.
#[doc(hidden)]
#[macro_export]
macro_rules! error_codes {
    (
        layer $layer:literal above $below:expr;
        $($name:ident = $text:literal about $subject:ident: $meaning:literal, $fix:literal;)+
    ) => {
        $(
            #[doc = $meaning]
            pub const $name: $crate::ErrorCode = $crate::ErrorCode::declare(&$crate::codes::ErrorCodeData {
                text: $text,
                subject: $crate::Subject::$subject,
            });
        )+

        /// The codes that this crate raises, and the codes of the crates below.
        pub const TABLE: $crate::codes::ErrorCodeTable = $crate::codes::ErrorCodeTable {
            layer: $layer,
            rows: &[$($crate::codes::ErrorCodeEntry { code: $name, meaning: $meaning, fix: $fix }),+],
            below: $below,
        };
    };
}

crate::error_codes! {
    layer "adjudicate-lang" above None;

    MALFORMED_JSON = "malformed_json" about Input: "the text is not JSON, or not UTF-8",
        "Send JSON in UTF-8 without a byte order mark. The message says which line and column to correct.";
    DUPLICATE_KEY = "duplicate_key" about Input: "an object has the same key twice",
        "Remove one of the two keys.";
    LIMIT_EXCEEDED = "limit_exceeded" about Input: "the input is too large, too deep, or too much work",
        "Send less, or simplify the part that the message names, for example a pattern or an expression.";
    UNKNOWN_FIELD = "unknown_field" about Input: "an object has a field that its type does not declare",
        "Correct the name, or begin it with `x-` if the field is your own.";
    MISSING_FIELD = "missing_field" about Input: "an object lacks a field that its type requires",
        "Add the field that the path names.";
    INVALID_VALUE = "invalid_value" about Input: "a value has the wrong type, or its type does not allow the value",
        "Replace the value at the path by one that the message describes.";
    INVALID_EXPRESSION = "invalid_expression" about Input: "a logic expression is invalid, or an operator met a value of a type that it does not accept",
        "Correct the expression at the path, or test the type of a value before you use the value.";
    INVALID_SCHEMA = "invalid_schema" about Input: "a JSON Schema has an invalid keyword, or refers to a schema that does not exist",
        "Correct the keyword or the reference at the path.";
}
