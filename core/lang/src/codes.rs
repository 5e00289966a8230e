//! The codes of errors: why there is no answer.
//!
//! Each crate declares the codes that it raises, in a module `codes` of its own, with [`error_codes!`](crate::error_codes). The
//! codes of the crates below it are exported there again, so that one import is enough.

use alloc::vec::Vec;
use core::fmt;

/// What an error is about, and so who can do something about it.
///
/// Only errors about an input or an operation are a policy module's to report. The others are said by whoever runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The input, or the policy.
    Input,
    /// What was asked for: this engine or module does not offer it.
    Operation,
    /// How the command or the library was called.
    Usage,
    /// Where the answer was to go.
    Output,
    /// What answers: the engine or the policy module, as a program, or the host and its slots and store.
    Module,
}

/// A stable code for "there is no answer" (SPEC section 1, rule 6). Its text never changes once released.
///
/// The codes are constants of the modules `codes` and can be patterns. Two codes are equal if their texts and subjects are.
///
/// ```
/// use adjudicate_lang::{Error, codes};
/// let error = Error::new(codes::UNKNOWN_FIELD, "unknown field `runid`");
/// let mends_itself = match error.code() {
///     codes::LIMIT_EXCEEDED | codes::MALFORMED_JSON => false,
///     code => code == codes::UNKNOWN_FIELD,
/// };
/// assert!(mends_itself);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ErrorCode(&'static Declared);

/// The part of a code that errors carry. Meanings are elsewhere ([`Row`]), so that a program that never asks for them does not
/// hold their text.
#[doc(hidden)]
#[derive(PartialEq, Eq)]
pub struct Declared {
    pub text: &'static str,
    pub subject: Subject,
}

impl ErrorCode {
    #[doc(hidden)]
    #[must_use]
    pub const fn declare(declared: &'static Declared) -> Self {
        Self(declared)
    }

    /// The code as it is written in `{"error": {"code": ...}}`.
    ///
    /// ```
    /// assert_eq!(adjudicate_lang::codes::UNKNOWN_FIELD.as_str(), "unknown_field");
    /// ```
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0.text
    }

    /// What the code is about.
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

impl fmt::Debug for ErrorCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A code as the page of all codes describes it.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The code.
    pub code: ErrorCode,
    /// One sentence on what the code means.
    pub meaning: &'static str,
    /// One or two sentences on the way to an answer.
    pub mend: &'static str,
}

/// The codes that one crate raises, above those of the crates below it.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// The name of the crate.
    pub layer: &'static str,
    /// Its own codes.
    pub rows: &'static [Row],
    /// The codes of the crates that it stands on.
    pub below: Option<&'static Self>,
}

impl Table {
    /// The codes of this crate and of those below it, the lowest first.
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

    /// The code that is written so, if it is one of this crate or of those below it.
    ///
    /// ```
    /// use adjudicate_lang::codes;
    /// assert_eq!(codes::TABLE.find("duplicate_key"), Some(codes::DUPLICATE_KEY));
    /// assert_eq!(codes::TABLE.find("no_such_code"), None);
    /// ```
    #[must_use]
    pub fn find(&self, text: &str) -> Option<ErrorCode> {
        self.all().into_iter().find(|code| code.as_str() == text)
    }
}

/// Declares the codes of one crate: a constant for each, and `TABLE` with what they mean.
#[doc(hidden)]
#[macro_export]
macro_rules! error_codes {
    (
        layer $layer:literal above $below:expr;
        $($name:ident = $text:literal about $subject:ident: $meaning:literal, $mend:literal;)+
    ) => {
        $(
            #[doc = $meaning]
            pub const $name: $crate::ErrorCode = $crate::ErrorCode::declare(&$crate::codes::Declared {
                text: $text,
                subject: $crate::Subject::$subject,
            });
        )+

        /// The codes that this crate raises, and those of the crates below it.
        pub const TABLE: $crate::codes::Table = $crate::codes::Table {
            layer: $layer,
            rows: &[$($crate::codes::Row { code: $name, meaning: $meaning, mend: $mend }),+],
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
    UNKNOWN_FIELD = "unknown_field" about Input: "an object has a member that its type does not declare",
        "Correct the name, or begin it with `x-` if the field is your own.";
    MISSING_FIELD = "missing_field" about Input: "an object lacks a member that its type requires",
        "Add the field that the path names.";
    INVALID_VALUE = "invalid_value" about Input: "a value has the wrong type, or is outside of what its type allows",
        "Replace the value at the path by one that the message describes.";
    INVALID_EXPRESSION = "invalid_expression" about Input: "a logic expression cannot mean anything, or met a type that it does not take",
        "Correct the expression at the path, or test the type of a value before you use the value.";
    INVALID_SCHEMA = "invalid_schema" about Input: "a JSON Schema is well formed but cannot mean anything, or refers to what is not there",
        "Correct the keyword or the reference at the path.";
}
