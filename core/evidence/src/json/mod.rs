//! JSON reports: the strict reader of the core, tolerant of unknown fields, with the line of each error.

mod locate;

use alloc::{borrow::Cow, format, string::String};

use adjudicate_core::{
    Error,
    json::{Node, ReadLimits, Tape},
};

use crate::{
    codes,
    duration::{Unit, milliseconds},
    limits::MAX_REPORT_BYTES,
    lines::{malformed, over_limit},
};

/// The text of a JSON report, without lone surrogates.
pub(crate) struct JsonText<'t>(Cow<'t, str>);

impl<'t> JsonText<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self(replace_lone(text))
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

/// Returns a field that is an integer of 0 or more.
pub(crate) fn count(object: Node<'_>, name: &str) -> Option<u64> {
    object.member(name)?.as_number()?.parse().ok()
}

/// Returns a field that is the number of a line.
pub(crate) fn line_number(object: Node<'_>, name: &str) -> Option<u32> {
    object.member(name)?.as_number()?.parse().ok()
}

/// Returns a field that is a duration, in milliseconds.
pub(crate) fn duration(object: Node<'_>, name: &str, unit: Unit) -> Option<u64> {
    milliseconds(object.member(name)?.as_number()?, unit)
}

/// Replaces each lone surrogate by the replacement character, U+FFFD. Other text stays.
///
/// A lone surrogate is an escape such as `\ud83d` without its other half. Python and JavaScript write them where a message was cut
/// inside of a character, and the JSON reader of the core rejects them.
fn replace_lone(text: &str) -> Cow<'_, str> {
    if !text.contains("\\ud") && !text.contains("\\uD") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        let (replaced, length) = match (unit(escape), unit(escape.get(6..).unwrap_or_default())) {
            (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => (None, 12),
            (Some(0xd800..0xe000), _) => (Some("\\ufffd"), 6),
            // A backslash and the character that it escapes, which may be a backslash.
            _ => (None, 1 + escape.chars().nth(1).map_or(0, char::len_utf8)),
        };
        let (escape, behind) = escape.split_at_checked(length).unwrap_or((escape, ""));
        out.push_str(replaced.unwrap_or(escape));
        rest = behind;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Returns the code unit of the escape `\uXXXX` at the beginning of a text.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Finds keys without a parser, because a text that was cut must be recognized, too. Calls `visit` with each key of the two outer levels of objects and its level, 1 or 2. Escapes stay as written.
pub(crate) fn keys<'t>(text: &'t str, mut visit: impl FnMut(usize, &'t str)) {
    let bytes = text.as_bytes();
    let (mut at, mut level) = (0, 0_usize);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => level += 1,
            b'}' | b']' => level = level.saturating_sub(1),
            b'"' => {
                let end = end_of_string(bytes, at);
                if level <= 2 && is_before_colon(bytes, end + 1) {
                    visit(level, text.get(at + 1..end).unwrap_or_default());
                }
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
}

/// Returns whether a line is an event: an object with all of these keys.
pub(crate) fn is_event(line: &str, expected: &[&str]) -> bool {
    let mut found = 0;
    if line.trim_start().starts_with('{') {
        keys(line, |level, key| found += usize::from(level == 1 && expected.contains(&key)));
    }
    found >= expected.len()
}

/// Returns the index of the quote that ends the string at `start`, or the end of the text.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    loop {
        match bytes.get(at) {
            Some(b'\\') => at += 2,
            Some(b'"') => return at,
            Some(_) => at += 1,
            None => return bytes.len(),
        }
    }
}

/// Returns whether the next character that is not white space is a colon.
fn is_before_colon(bytes: &[u8], at: usize) -> bool {
    bytes.iter().skip(at).find(|byte| !byte.is_ascii_whitespace()) == Some(&b':')
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn only_lone_surrogates_are_replaced() {
        for (text, expected) in [
            (r#""a\ud83d\ude00b""#, r#""a\ud83d\ude00b""#),
            (r#""a\ud83d...""#, r#""a\ufffd...""#),
            (r#""\ude00\ud83d""#, r#""\ufffd\ufffd""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\ud83d\"#, r#""\ufffd\"#),
            (r#""\ud8"#, r#""\ud8"#),
            ("\"\\ud83d\\é\"", "\"\\ufffd\\é\""),
        ] {
            assert_eq!(replace_lone(text), expected);
        }
    }

    #[test]
    fn keys_of_two_levels_are_found_in_cut_texts() {
        let mut found = Vec::new();
        keys(r#"{"a": [{"no": 1}], "b\"" : {"c": {"no": "d:"}}, "e": "f": "g"#, |level, key| {
            found.push((level, key))
        });
        assert_eq!(found, [(1, "a"), (1, "b\\\""), (2, "c"), (1, "e"), (1, "f")]);
    }
}
