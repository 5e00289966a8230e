//! A decoding error on its way up, gathering its path.

use alloc::{
    borrow::Cow,
    format,
    string::{String, ToString},
};
use core::fmt;

use serde::de::{self, Expected, Unexpected};

use super::suggest::closest;
use crate::{
    codes::{self, ErrorCode},
    error::Error,
};

/// An error on its way up; each object and list it leaves adds a segment in front of its path.
///
/// It fits into a register, and what makes one is never inlined: decoding is full of places that hand one on.
#[derive(Debug)]
pub struct Failure(Error);

impl Failure {
    #[cold]
    #[inline(never)]
    pub(super) fn new(code: ErrorCode, message: String) -> Self {
        Self(Error::new(code, message))
    }

    #[cold]
    #[inline(never)]
    pub(super) fn under(self, segment: &str) -> Self {
        Self(self.0.under(segment))
    }

    #[cold]
    #[inline(never)]
    pub(super) fn under_index(self, index: usize) -> Self {
        self.under(&index.to_string())
    }

    #[cold]
    #[inline(never)]
    fn invalid(message: fmt::Arguments<'_>) -> Self {
        Self::new(codes::INVALID_VALUE, message.to_string())
    }

    pub(super) fn into_error(self) -> Error {
        self.0
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.message())
    }
}

impl core::error::Error for Failure {}

impl de::Error for Failure {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::invalid(format_args!("{message}"))
    }

    #[cold]
    #[inline(never)]
    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid(format_args!("expected {expected}, found {}", describe(&found)))
    }

    #[cold]
    #[inline(never)]
    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    #[cold]
    #[inline(never)]
    fn unknown_variant(found: &str, expected: &'static [&'static str]) -> Self {
        let hint = hint(found, expected);
        Self::invalid(format_args!("`{}` is not one of {}{hint}", shorten(found), list(expected)))
    }

    #[cold]
    #[inline(never)]
    fn unknown_field(found: &str, expected: &'static [&'static str]) -> Self {
        Self::new(codes::UNKNOWN_FIELD, unknown("field", found, expected))
    }

    #[cold]
    #[inline(never)]
    fn missing_field(field: &'static str) -> Self {
        if is_description(field) {
            return Self::new(codes::MISSING_FIELD, format!("missing {field}"));
        }
        Self::new(codes::MISSING_FIELD, format!("missing field `{field}`")).under(field)
    }

    #[cold]
    #[inline(never)]
    fn duplicate_field(field: &'static str) -> Self {
        Self::new(codes::DUPLICATE_KEY, format!("key `{field}` is there twice"))
    }
}

/// A message such as `` unknown field `a`, did you mean `b`? ``. `what` is the kind of name, `expected` are the known ones.
#[must_use]
pub fn unknown(what: &str, found: &str, expected: &[&str]) -> String {
    format!("unknown {what} `{}`{}", shorten(found), hint(found, expected))
}

fn hint(found: &str, expected: &[&str]) -> String {
    closest(found, expected).map_or_else(String::new, |name| format!(", did you mean `{name}`?"))
}

/// `` `a`, `b` or `c` ``
pub(super) fn list(names: &[&str]) -> String {
    let mut text = String::new();
    for (index, name) in names.iter().enumerate() {
        let separator = match index {
            0 => "",
            _ if index + 1 == names.len() => " or ",
            _ => ", ",
        };
        text.push_str(separator);
        text.push('`');
        text.push_str(name);
        text.push('`');
    }
    text
}

/// What was found, without numbers of other formats than ours, whose text would be many kilobytes of code.
fn describe(found: &Unexpected<'_>) -> Cow<'static, str> {
    match found {
        Unexpected::Bool(value) => format!("`{value}`").into(),
        Unexpected::Unsigned(value) => format!("`{value}`").into(),
        Unexpected::Signed(value) => format!("`{value}`").into(),
        Unexpected::Float(_) => "a number".into(),
        Unexpected::Str(text) => format!("the string `{}`", shorten(text)).into(),
        Unexpected::Unit | Unexpected::Option => "null".into(),
        Unexpected::Seq => "a list".into(),
        Unexpected::Map => "an object".into(),
        _ => "something else".into(),
    }
}

/// At most 60 characters of `text`, for messages; `...` stands for the rest.
#[must_use]
pub fn shorten(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(60) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}...", text.get(..end).unwrap_or_default())),
    }
}

/// Whether what a type reports as missing is a description and not the name of a member: the error then points
/// at the object that lacks it. No declared member has a space in its name.
fn is_description(missing: &str) -> bool {
    missing.contains(' ')
}
