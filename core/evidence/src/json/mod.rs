//! JSON reports: the strict reader of the core, tolerant of unknown fields, with the line of each error.

mod keys;
mod locate;
mod number;
mod surrogates;

use alloc::{borrow::Cow, format};

use adjudicate_core::{
    Error,
    json::{Node, ReadLimits, Tape},
};

use crate::{
    codes,
    fault::{malformed, over_limit},
    limits::MAX_REPORT_BYTES,
};

pub(crate) use keys::{is_event, keys};
pub(crate) use number::{count, duration, line_number};

/// The text of a JSON report, without lone surrogates.
pub(crate) struct JsonText<'t>(Cow<'t, str>);

impl<'t> JsonText<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self(surrogates::replace_lone(text))
    }

    /// Checks the text.
    ///
    /// # Errors
    ///
    /// - `malformed_report` for text that is not JSON, and for a repeated key.
    /// - `limit_exceeded` for more nested containers than the limit.
    pub(crate) fn parse(&self) -> Result<Tape<'_>, Error> {
        let limits = ReadLimits { documents: &[], bytes: 3 * MAX_REPORT_BYTES };
        adjudicate_core::json::read(self.0.as_bytes(), limits).map_err(|error| self.explain(&error))
    }

    /// Returns the error for a value of another type than expected. `path` is the JSON Pointer of the value.
    #[cold]
    pub(crate) fn unexpected(&self, path: &str, expected: &str, found: Option<Node<'_>>) -> Error {
        let found = found.map_or_else(|| "nothing".into(), Node::describe);
        malformed(self.line_of(path), format!("expected {expected} at `{path}`, found {found}")).at(path)
    }

    /// Returns the line of the value at a JSON Pointer.
    #[cold]
    pub(crate) fn line_of(&self, path: &str) -> usize {
        locate::line_of_value(&self.0, path)
    }

    /// Translates an error of the JSON reader.
    #[cold]
    fn explain(&self, error: &Error) -> Error {
        let path = error.path();
        match error.code() {
            codes::DUPLICATE_KEY => {
                malformed(locate::line_of_second_key(&self.0, path), error.message()).at(path)
            }
            codes::LIMIT_EXCEEDED => over_limit(self.line_of(path), error.message()).at(path),
            _ => not_json(error.message()),
        }
    }
}

/// Returns the error for text that is not JSON. The reader writes the line at the end of its message.
#[cold]
fn not_json(message: &str) -> Error {
    let place = message.rsplit_once(", line ").and_then(|(problem, place)| {
        let (line, column) = place.split_once(" column ")?;
        Some((problem, line.parse().ok()?, column))
    });
    match place {
        Some((problem, line, column)) => malformed(line, format!("not JSON: {problem}, column {column}")),
        None => malformed(1, format!("not JSON: {message}")),
    }
}

/// Returns the text of a field, or `None` if the field is absent or not a string.
pub(crate) fn text<'t>(object: Node<'t>, name: &str) -> Option<&'t str> {
    object.member(name)?.as_str()
}

/// Returns whether a field is `true`.
pub(crate) fn is_true(object: Node<'_>, name: &str) -> bool {
    object.member(name).is_some_and(|value| value.kind() == adjudicate_core::json::Kind::Bool(true))
}

/// Returns the items of a field that is an array, or none.
pub(crate) fn items<'t>(object: Node<'t>, name: &str) -> impl Iterator<Item = Node<'t>> {
    object.member(name).into_iter().filter(|list| is_array(*list)).flat_map(Node::items)
}

/// Returns whether a value is an array.
pub(crate) fn is_array(value: Node<'_>) -> bool {
    value.kind() == adjudicate_core::json::Kind::Array
}
