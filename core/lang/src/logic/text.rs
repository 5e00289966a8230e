//! Operations on texts in both modes: substrings, lengths, prefixes, suffixes and patterns.
//!
//! Indices count characters (Unicode scalar values). JavaScript counts UTF-16 units. The two differ only beyond U+FFFF, where
//! JavaScript can split a character.

use alloc::string::String;

use super::{number::Number, value::Value};
use crate::{
    codes,
    error::Error,
    paths::{self, Glob, Pattern},
    pattern::Regex,
    steps::Steps,
};

/// Returns the number of characters of a text, items of a list, or fields of an object. Returns `None` for other values.
pub(super) fn length(value: &Value<'_>, steps: &mut Steps) -> Result<Option<Number>, Error> {
    let length = match value.as_text() {
        Some(text) => {
            steps.spend(text.len())?;
            text.chars().count()
        }
        None if value.is_container() => value.len(),
        None => return Ok(None),
    };
    Ok(Some(Number::from(length as u64)))
}

/// Returns a substring from a character on. A negative start counts from the end. A negative length omits characters at the end.
pub(super) fn substr<'v>(
    source: &Value<'v>,
    start: i64,
    length: Option<i64>,
    steps: &mut Steps,
) -> Result<Value<'v>, Error> {
    let text = source.as_text().unwrap_or_default();
    steps.spend(text.len())?;
    let total = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    let from = if start < 0 { total.saturating_add(start).max(0) } else { start.min(total) };
    let left = total - from;
    let count = match length {
        None => left,
        Some(length) if length < 0 => left.saturating_add(length).max(0),
        Some(length) => length.min(left),
    };
    let byte = |text: &str, place: i64| {
        let place = usize::try_from(place).unwrap_or(usize::MAX);
        text.char_indices().nth(place).map_or(text.len(), |(byte, _)| byte)
    };
    let begin = byte(text, from);
    let end = begin + byte(text.get(begin..).unwrap_or_default(), count);
    Ok(match source {
        Value::Text(text) => Value::Text(text.get(begin..end).unwrap_or_default()),
        _ => Value::BuiltText(text.get(begin..end).unwrap_or_default().into()),
    })
}

/// A relation of two texts.
pub(super) type Relation = fn(&str, &str, &mut Steps) -> Result<bool, Error>;

/// Returns whether a text begins with another.
pub(super) fn starts_with(text: &str, start: &str, steps: &mut Steps) -> Result<bool, Error> {
    steps.spend(start.len())?;
    Ok(text.starts_with(start))
}

/// Returns whether a text ends with another.
pub(super) fn ends_with(text: &str, end: &str, steps: &mut Steps) -> Result<bool, Error> {
    steps.spend(end.len())?;
    Ok(text.ends_with(end))
}

/// Returns whether a path matches a glob that the expression computed.
pub(super) fn is_in_glob(path: &str, pattern: &str, steps: &mut Steps) -> Result<bool, Error> {
    matches_glob(&glob_of(pattern, steps)?, path, steps)
}

/// Returns whether a regular expression that the expression computed is found in a text.
pub(super) fn is_in_regex(text: &str, pattern: &str, steps: &mut Steps) -> Result<bool, Error> {
    regex_of(pattern, steps)?.matches(text, steps)
}

/// Compiles a glob of the dialect of path lists.
pub(super) fn glob_of(pattern: &str, steps: &mut Steps) -> Result<Glob, Error> {
    match Pattern::new(pattern) {
        Ok(pattern) => Glob::compile(pattern, steps),
        Err(fault) => Err(Error::new(codes::INVALID_EXPRESSION, fault)),
    }
}

/// Compiles a regular expression.
pub(super) fn regex_of(pattern: &str, steps: &mut Steps) -> Result<Regex, Error> {
    Regex::compile(pattern, steps).map_err(|error| match error.code() {
        codes::INVALID_VALUE => Error::new(codes::INVALID_EXPRESSION, String::from(error.message())),
        _ => error,
    })
}

/// Returns whether a glob matches a path.
pub(super) fn matches_glob(glob: &Glob, path: &str, steps: &mut Steps) -> Result<bool, Error> {
    steps.spend(path.len())?;
    glob.matches(&paths::Path::split(&paths::normalize(path)), steps)
}
