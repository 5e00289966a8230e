//! The writer of objects and lists, and errors about objects.

use alloc::{
    format,
    string::{String, ToString as _},
    vec::Vec,
};

use super::{
    canonical::{canonical, write_string},
    reader::MAX_ANSWER_BYTES,
    tape::Node,
};
use crate::{codes, error::Error, order};

/// Returns the error for a missing field `name`, whose path is that of the field.
#[must_use]
#[cold]
#[inline(never)]
pub fn missing(name: &str) -> Error {
    Error::new(codes::MISSING_FIELD, format!("missing field `{name}`")).under(name)
}

/// Returns the error for an unexpected value: `expected EXPECTED, found VALUE`.
#[must_use]
#[cold]
#[inline(never)]
pub fn refuse(found: Node<'_>, expected: &str) -> Error {
    Error::new(codes::INVALID_VALUE, format!("expected {expected}, found {}", found.describe()))
}

/// Returns the fields of an object whose names begin with `x-`, by name.
#[must_use]
pub fn extensions<'t>(object: Node<'t>) -> Vec<(&'t str, Node<'t>)> {
    let mut extensions: Vec<_> = object.members().filter(|(name, _)| name.starts_with("x-")).collect();
    order::sort_by(&mut extensions, |(left, _), (right, _)| left.cmp(right));
    extensions
}

/// Writes a list as JSON, item by item.
pub fn write_list<T>(items: impl IntoIterator<Item = T>, out: &mut String, write: impl Fn(T, &mut String)) {
    out.push('[');
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(item, out);
    }
    out.push(']');
}

/// Writes a list of an answer. Beyond [`MAX_ANSWER_BYTES`], it saves memory and writes `!` instead of each item. The text is then
/// not JSON, and the caller must reject an answer of that length.
pub fn write_listed<T>(items: impl IntoIterator<Item = T>, out: &mut String, write: impl Fn(T, &mut String)) {
    write_list(items, out, |item, out| match out.len() <= MAX_ANSWER_BYTES {
        true => write(item, out),
        false => out.push('!'),
    });
}

/// Writes the fields of an object as JSON, in the order of the calls.
///
/// ```
/// use adjudicate_lang::json::object::ObjectWriter;
/// let mut text = String::new();
/// let mut members = ObjectWriter::open(&mut text);
/// members.text("id", Some("a"));
/// members.text("note", None);
/// members.count("weight", 2);
/// members.close();
/// assert_eq!(text, r#"{"id":"a","weight":2}"#);
/// ```
#[derive(Debug)]
pub struct ObjectWriter<'o> {
    out: &'o mut String,
    separator: char,
}

impl<'o> ObjectWriter<'o> {
    /// Begins an object.
    pub const fn open(out: &'o mut String) -> Self {
        Self { out, separator: '{' }
    }

    /// Writes a string, if there is one.
    pub fn text(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.begin(name);
            write_string(value, self.out);
        }
    }

    /// Writes a list of strings.
    pub fn texts(&mut self, name: &str, values: &[&str]) {
        self.part(name, |out| write_list(values, out, |value, out| write_string(value, out)));
    }

    /// Writes a list of an answer, item by item, as [`write_listed`] does.
    pub fn list<T>(
        &mut self,
        name: &str,
        items: impl IntoIterator<Item = T>,
        write: impl Fn(T, &mut String),
    ) {
        self.part(name, |out| write_listed(items, out, write));
    }

    /// Writes a value in its place by `write`, because a text of its own would take memory in addition to the answer.
    pub fn part(&mut self, name: &str, write: impl FnOnce(&mut String)) {
        self.begin(name);
        write(self.out);
    }

    /// Writes true or false.
    pub fn flag(&mut self, name: &str, value: bool) {
        self.json(name, Some(if value { "true" } else { "false" }));
    }

    /// Writes an integer of 0 or more.
    pub fn count(&mut self, name: &str, value: u64) {
        self.json(name, Some(&value.to_string()));
    }

    /// Writes a JSON text, if there is one.
    pub fn json(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.part(name, |out| out.push_str(value));
        }
    }

    fn begin(&mut self, name: &str) {
        self.out.push(self.separator);
        write_string(name, self.out);
        self.out.push(':');
        self.separator = ',';
    }

    /// Writes the fields of `object` whose names begin with `x-`, by name, in canonical form.
    pub fn extensions(&mut self, object: Node<'_>) {
        for (name, value) in extensions(object) {
            self.json(name, Some(&canonical(value)));
        }
    }

    /// Ends the object.
    pub fn close(self) {
        // An object without fields has no opening brace so far.
        self.out.push_str(if self.separator == '{' { "{}" } else { "}" });
    }
}
