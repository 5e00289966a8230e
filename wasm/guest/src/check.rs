//! The check of an input against the tables in `views.rs`.
//!
//! The engine has a type for each object and code that fills it. Here a table is enough, because a policy reads the checked value
//! through views.

use crate::{
    error::{Error, INVALID_VALUE, MISSING_FIELD, UNKNOWN_FIELD},
    read::{index, shorten},
    text::push,
    value::Value,
};
use alloc::{string::String, vec::Vec};

/// The values that a part of the input can have.
pub(crate) enum Shape {
    Anything,
    Text,
    Bool,
    /// A prompt reference, `id.vN`.
    Prompt,
    /// A path or a glob.
    Pattern,
    /// The id of a tree.
    Tree,
    /// A signed integer of 64 bits.
    Integer,
    /// An unsigned integer of 64 bits.
    Count,
    /// A number of 0 or more.
    Magnitude,
    /// One word of a closed list.
    Word(&'static [&'static str]),
    /// A string, or a list of strings.
    Notes,
    List(&'static Self),
    /// An object in which every name is data.
    Map(&'static Self),
    Object(&'static Object),
    Nullable(&'static Self),
}

/// An object with declared fields.
pub(crate) struct Object {
    /// The expected value in the error for a value that is not an object.
    pub(crate) expecting: &'static str,
    pub(crate) fields: &'static [Field],
    /// True if the object may have other fields, unless their names are close to a declared one.
    pub(crate) is_open: bool,
    /// The rule between several fields.
    pub(crate) rule: fn(&Value<'_>) -> Result<(), Error>,
}

pub(crate) struct Field {
    name: &'static str,
    is_required: bool,
    shape: Shape,
}

pub(crate) const fn required(name: &'static str, shape: Shape) -> Field {
    Field { name, is_required: true, shape }
}

pub(crate) const fn optional(name: &'static str, shape: Shape) -> Field {
    Field { name, is_required: false, shape }
}

/// Checks a value. The error is the first in document order; a missing field counts at the end of its object.
pub(crate) fn check(value: &Value<'_>, shape: &Shape) -> Result<(), Error> {
    match shape {
        Shape::Anything => Ok(()),
        Shape::Text => text(value).map(drop),
        Shape::Bool if matches!(value, Value::Bool(_)) => Ok(()),
        Shape::Bool => Err(refusal("true or false")),
        Shape::Prompt => match is_prompt(text(value)?) {
            true => Ok(()),
            false => Err(Error::new(INVALID_VALUE, "expected a prompt reference `id.vN`")),
        },
        Shape::Pattern => match is_pattern(text(value)?) {
            true => Ok(()),
            false => Err(Error::new(INVALID_VALUE, "expected a path or a glob")),
        },
        Shape::Tree => match is_tree(text(value)?) {
            true => Ok(()),
            false => Err(Error::new(INVALID_VALUE, "expected the id of a tree, without white space")),
        },
        Shape::Integer if value.as_i64().is_some() => Ok(()),
        Shape::Integer => Err(refusal("an integer")),
        Shape::Count if value.as_u64().is_some() => Ok(()),
        Shape::Count => Err(refusal("an integer of 0 or more")),
        Shape::Magnitude => match value {
            Value::Number(text) if !is_negative(text) => Ok(()),
            _ => Err(refusal("a number of 0 or more")),
        },
        Shape::Word(words) => word(value, words),
        Shape::Notes => match value {
            Value::Text(_) => Ok(()),
            Value::List(_) => list(value, &Shape::Text),
            _ => Err(refusal("a string or a list of strings")),
        },
        Shape::Nullable(_) if *value == Value::Null => Ok(()),
        Shape::Nullable(shape) => check(value, shape),
        Shape::List(item) => list(value, item),
        Shape::Map(shape) => match value {
            Value::Object(members) => members
                .iter()
                .try_for_each(|(key, value)| check(value, shape).map_err(|error| error.under(key))),
            _ => Err(refusal("an object")),
        },
        Shape::Object(shape) => object(value, shape),
    }
}

/// Checks a value that must be an object.
pub(crate) fn object(value: &Value<'_>, shape: &Object) -> Result<(), Error> {
    let Value::Object(members) = value else { return Err(refusal(shape.expecting)) };
    for (key, value) in members.iter().filter(|(key, _)| !key.starts_with("x-")) {
        let Some(field) = shape.fields.iter().find(|field| field.name == key) else {
            if shape.is_open && !shape.fields.iter().any(|field| is_close(key, field.name)) {
                continue;
            }
            return Err(unknown(key).under(key));
        };
        check(value, &field.shape).map_err(|error| error.under(key))?;
    }
    let absent = |field: &&Field| field.is_required && value.member(field.name).is_none();
    match shape.fields.iter().find(absent) {
        Some(field) => Err(missing(field.name)),
        None => (shape.rule)(value),
    }
}

/// Returns whether two names are at most two edits apart, ignoring the case of ASCII letters: insertions, deletions,
/// replacements and swaps of neighbors.
fn is_close(left: &str, right: &str) -> bool {
    if left.len() > 64 {
        return false;
    }
    let letters = |text: &str| text.chars().map(|letter| letter.to_ascii_lowercase()).collect::<Vec<char>>();
    edits_within(&letters(left), &letters(right), 2)
}

/// Returns whether one text becomes the other by at most so many edits.
fn edits_within(left: &[char], right: &[char], edits: u32) -> bool {
    match (left, right) {
        ([a, left @ ..], [b, right @ ..]) if a == b => edits_within(left, right, edits),
        ([], []) => true,
        _ if edits == 0 => false,
        ([a, b, left_rest @ ..], [c, d, right_rest @ ..])
            if a == d && b == c && edits_within(left_rest, right_rest, edits - 1) =>
        {
            true
        }
        ([_, left_rest @ ..], [_, right_rest @ ..]) => {
            edits_within(left_rest, right_rest, edits - 1)
                || edits_within(left_rest, right, edits - 1)
                || edits_within(left, right_rest, edits - 1)
        }
        ([_, rest @ ..], []) | ([], [_, rest @ ..]) => edits_within(rest, &[], edits - 1),
    }
}

fn list(value: &Value<'_>, shape: &Shape) -> Result<(), Error> {
    let Value::List(items) = value else { return Err(refusal("a list")) };
    for (place, item) in items.iter().enumerate() {
        check(item, shape).map_err(|error| error.under(&index(place)))?;
    }
    Ok(())
}

fn text<'v>(value: &'v Value<'_>) -> Result<&'v str, Error> {
    value.as_str().ok_or_else(|| refusal("a string"))
}

fn word(value: &Value<'_>, words: &[&str]) -> Result<(), Error> {
    if value.as_str().is_some_and(|text| words.contains(&text)) {
        return Ok(());
    }
    let mut message = String::from("expected one of ");
    for (place, word) in words.iter().enumerate() {
        push(&mut message, if place == 0 { "`" } else { ", `" });
        push(&mut message, word);
        message.push('`');
    }
    Err(Error::new(INVALID_VALUE, message))
}

/// Returns whether a text is `id.vN`.
fn is_tree(text: &str) -> bool {
    // White space and control characters, without the tables of the standard library.
    let is_blank = |letter| {
        matches!(letter, '\0'..=' ' | '\u{7f}'..='\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}')
            || matches!(letter, '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}')
    };
    !text.is_empty() && !text.chars().any(is_blank)
}

fn is_prompt(text: &str) -> bool {
    let id = text.trim_end_matches(|digit: char| digit.is_ascii_digit());
    id.len() < text.len() && id.strip_suffix(".v").is_some_and(|id| !id.is_empty())
}

/// Returns whether a path or a glob has a segment, and its braces pair.
fn is_pattern(text: &str) -> bool {
    let mut depth = 0_u32;
    for byte in text.bytes() {
        depth = match byte {
            b'{' => depth + 1,
            b'}' if depth == 0 => return false,
            b'}' => depth - 1,
            _ => depth,
        };
    }
    depth == 0 && names_something(text)
}

/// Returns whether the normal form of a path has a segment.
fn names_something(path: &str) -> bool {
    let mut depth = 0_usize;
    for segment in path.as_bytes().split(|byte| *byte == b'/') {
        depth = match segment {
            b"" | b"." => depth,
            b".." => depth.saturating_sub(1),
            _ => depth + 1,
        };
    }
    depth > 0
}

/// Returns whether a number is below zero. `-0` is not.
fn is_negative(number: &str) -> bool {
    let mantissa = number.split(['e', 'E']).next().unwrap_or_default();
    mantissa.starts_with('-') && mantissa.contains(|c| ('1'..='9').contains(&c))
}

#[cold]
#[inline(never)]
fn refusal(expected: &str) -> Error {
    let mut message = String::from("expected ");
    push(&mut message, expected);
    Error::new(INVALID_VALUE, message)
}

#[cold]
#[inline(never)]
fn named(code: &'static str, what: &str, name: &str) -> Error {
    let mut message = String::from(what);
    push(&mut message, " field `");
    push(&mut message, shorten(name));
    message.push('`');
    Error::new(code, message)
}

fn unknown(name: &str) -> Error {
    named(UNKNOWN_FIELD, "unknown", name)
}

/// Returns the error for a missing field.
pub(crate) fn missing(name: &str) -> Error {
    named(MISSING_FIELD, "missing", name).under(name)
}
