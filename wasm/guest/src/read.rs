//! The JSON reader: one pass over the text that checks it by the engine's rules.
//!
//! These are errors: text that is not UTF-8 or not JSON, repeated keys, containers nested deeper than 128, and
//! documents over 8 MiB. The reader reports the first in document order.

use alloc::{borrow::Cow, string::String, vec::Vec};

use crate::{
    error::{DUPLICATE_KEY, Error, LIMIT_EXCEEDED, MALFORMED_JSON},
    number::{self, Fault},
    order::sorted_places,
    text::{push, push_number},
    value::Value,
};

/// The greatest depth of containers in one document.
const MAX_DEPTH: usize = 128;
/// The largest input in bytes.
const MAX_BYTES: usize = 8 << 20;
/// In objects with at most this number of fields, repeated keys are found by comparing all pairs.
const FEW: usize = 12;

type Members<'a> = Vec<(Cow<'a, str>, Value<'a>)>;

/// Reads a JSON text. The fields of the outermost object that `documents` names are documents of their own: their depth
/// is counted from their start, and their paths begin there.
pub(crate) fn read<'a>(bytes: &'a [u8], documents: &'a [&'a str]) -> Result<Value<'a>, Error> {
    if bytes.len() > MAX_BYTES {
        let mut message = String::from("input of ");
        push_number(&mut message, bytes.len() as u64);
        push(&mut message, " bytes is over the limit of ");
        push_number(&mut message, MAX_BYTES as u64);
        return Err(Error::new(LIMIT_EXCEEDED, message));
    }
    let text = core::str::from_utf8(bytes).map_err(|error| {
        let mut message = String::from("not UTF-8 from byte ");
        push_number(&mut message, error.valid_up_to() as u64);
        push(&mut message, " on");
        Error::new(MALFORMED_JSON, message)
    })?;
    let mut reader = Reader { text, at: 0, depth: 0, limit: MAX_DEPTH, documents };
    reader.skip_space();
    let value = reader.value()?;
    reader.skip_space();
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.malformed((reader.at, "text after the end of the document"))),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    /// The depth that containers may have at the current place.
    limit: usize,
    documents: &'a [&'a str],
}

impl<'a> Reader<'a> {
    fn value(&mut self) -> Result<Value<'a>, Error> {
        match self.peek() {
            Some(open @ (b'{' | b'[')) => self.container(open == b'{'),
            Some(b'"') => self.string().map(Value::Text),
            Some(b't') => self.keyword("true", Value::Bool(true)),
            Some(b'f') => self.keyword("false", Value::Bool(false)),
            Some(b'n') => self.keyword("null", Value::Null),
            Some(_) => self.number(),
            None => Err(self.malformed((self.at, "text ends where a value should be"))),
        }
    }

    fn container(&mut self, is_object: bool) -> Result<Value<'a>, Error> {
        if self.depth >= self.limit {
            return Err(Error::new(LIMIT_EXCEEDED, "more than 128 nested containers"));
        }
        self.depth += 1;
        let value = if is_object { self.object() } else { self.list().map(Value::List) };
        self.depth -= 1;
        value
    }

    fn list(&mut self) -> Result<Vec<Value<'a>>, Error> {
        let mut items = Vec::new();
        self.at += 1;
        self.skip_space();
        if self.take(b']') {
            return Ok(items);
        }
        loop {
            match self.value() {
                Ok(item) => items.push(item),
                Err(error) => return Err(under(error, &index(items.len()))),
            }
            if self.ends(b']', "expected `,` or `]`")? {
                return Ok(items);
            }
        }
    }

    /// Keys are checked at the end of the object, or at an error in it, which comes after all keys so far.
    fn object(&mut self) -> Result<Value<'a>, Error> {
        let mut members = Members::new();
        let outcome = self.members(&mut members);
        if let Some(key) = repeated(&members) {
            let mut message = String::from("key `");
            push(&mut message, shorten(key));
            push(&mut message, "` is a duplicate");
            return Err(Error::new(DUPLICATE_KEY, message).under(key));
        }
        outcome.map(|()| Value::Object(members))
    }

    fn members(&mut self, members: &mut Members<'a>) -> Result<(), Error> {
        self.at += 1;
        self.skip_space();
        if self.take(b'}') {
            return Ok(());
        }
        loop {
            if self.peek() != Some(b'"') {
                return Err(self.malformed((self.at, "expected a key in double quotes")));
            }
            let key = self.string()?;
            members.push((key.clone(), Value::Null));
            self.skip_space();
            if !self.take(b':') {
                return Err(self.malformed((self.at, "expected `:`")));
            }
            self.skip_space();
            let is_document = self.depth == 1 && self.documents.contains(&&*key);
            self.limit = if self.depth == 1 { MAX_DEPTH + usize::from(is_document) } else { self.limit };
            match self.value() {
                Ok(value) => {
                    if let Some(member) = members.last_mut() {
                        member.1 = value;
                    }
                }
                Err(error) if is_document && error.code() != MALFORMED_JSON => return Err(error.within(&key)),
                Err(error) => return Err(under(error, &key)),
            }
            if self.ends(b'}', "expected `,` or `}`")? {
                return Ok(());
            }
        }
    }

    /// Returns whether the container ends after a value. If not, the next value begins at the cursor.
    fn ends(&mut self, close: u8, expected: &'static str) -> Result<bool, Error> {
        self.skip_space();
        if self.take(close) {
            return Ok(true);
        }
        if self.take(b',') {
            self.skip_space();
            return Ok(false);
        }
        let fault = if self.peek().is_none() { "text ends inside a container" } else { expected };
        Err(self.malformed((self.at, fault)))
    }

    fn keyword(&mut self, word: &str, value: Value<'a>) -> Result<Value<'a>, Error> {
        if self.rest().starts_with(word) {
            self.at += word.len();
            return Ok(value);
        }
        Err(self.malformed((self.at, "expected a value")))
    }

    fn number(&mut self) -> Result<Value<'a>, Error> {
        let rest = self.rest();
        match number::length(rest.as_bytes()) {
            Ok(length) => {
                let text = rest.get(..length).unwrap_or_default();
                if !number::is_in_range(text) {
                    return Err(self.malformed((self.at, "number out of range")));
                }
                self.at += length;
                Ok(Value::Number(text))
            }
            Err((at, fault)) => Err(self.malformed((self.at + at, fault))),
        }
    }

    fn string(&mut self) -> Result<Cow<'a, str>, Error> {
        self.at += 1;
        let rest = self.rest();
        let plain = plain_length(rest);
        let text = rest.get(..plain).unwrap_or_default();
        if rest.as_bytes().get(plain) == Some(&b'"') {
            self.at += plain + 1;
            return Ok(Cow::Borrowed(text));
        }
        let mut out = String::from(text);
        self.at += plain;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Cow::Owned(out));
                }
                Some(b'\\') => self.escape(&mut out).map_err(|fault| self.malformed(fault))?,
                Some(_) => return Err(self.malformed((self.at, "control character in a string"))),
                None => return Err(self.malformed((self.at, "string without end"))),
            }
            let rest = self.rest();
            let plain = plain_length(rest);
            push(&mut out, rest.get(..plain).unwrap_or_default());
            self.at += plain;
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<(), Fault> {
        let plain = match self.text.as_bytes().get(self.at + 1) {
            Some(same @ (b'"' | b'\\' | b'/')) => char::from(*same),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(out),
            _ => return Err((self.at, "unknown escape sequence")),
        };
        out.push(plain);
        self.at += 2;
        Ok(())
    }

    /// `\uXXXX`, or two of them for one character beyond the basic plane.
    fn unicode(&mut self, out: &mut String) -> Result<(), Fault> {
        let unit = self.hex4(2).ok_or((self.at, "`\\u` needs four hexadecimal digits"))?;
        let lone = (self.at, "lone surrogate in a string");
        let (code, length) = match unit {
            0xd800..0xdc00 => {
                let pair = self.rest().get(6..8) == Some("\\u");
                let low = self.hex4(8).filter(|low| pair && (0xdc00..0xe000).contains(low)).ok_or(lone)?;
                (0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00), 12)
            }
            unit => (unit, 6),
        };
        out.push(char::from_u32(code).ok_or(lone)?);
        self.at += length;
        Ok(())
    }

    fn hex4(&self, from: usize) -> Option<u32> {
        let digits = self.text.as_bytes().get(self.at + from..self.at + from + 4)?;
        digits.iter().try_fold(0, |value, digit| Some(value * 16 + char::from(*digit).to_digit(16)?))
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    #[cold]
    #[inline(never)]
    fn malformed(&self, (at, fault): Fault) -> Error {
        let before = self.text.get(..at).unwrap_or_default();
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let column = before.chars().rev().take_while(|character| *character != '\n').count() + 1;
        let mut message = String::from(fault);
        push(&mut message, ", line ");
        push_number(&mut message, line as u64);
        push(&mut message, " column ");
        push_number(&mut message, column as u64);
        Error::new(MALFORMED_JSON, message)
    }
}

/// Adds a segment to the path of an error in a field or an item. Malformed text has no path, because its place is in
/// the text.
fn under(error: Error, segment: &str) -> Error {
    if error.code() == MALFORMED_JSON { error } else { error.under(segment) }
}

/// An index as a segment of a path.
pub(crate) fn index(index: usize) -> String {
    let mut text = String::new();
    push_number(&mut text, index as u64);
    text
}

/// At most 60 characters of `text`.
pub(crate) fn shorten(text: &str) -> &str {
    let end = text.char_indices().nth(60).map_or(text.len(), |(end, _)| end);
    text.get(..end).unwrap_or_default()
}

/// Returns the number of bytes before a quote, a backslash, a control character or the end.
fn plain_length(text: &str) -> usize {
    text.bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f)).unwrap_or(text.len())
}

/// Returns the key whose repetition comes first.
fn repeated<'m>(members: &'m Members<'_>) -> Option<&'m str> {
    let key = |place: usize| members.get(place).map(|(key, _)| &**key);
    let place = if members.len() <= FEW {
        (1..members.len()).find(|later| (0..*later).any(|earlier| key(earlier) == key(*later)))
    } else {
        let places = sorted_places(members.len(), &|left, right| key(left).cmp(&key(right)));
        let pairs = places.iter().zip(places.iter().skip(1));
        pairs.filter(|(left, right)| key(**left) == key(**right)).map(|(_, right)| *right).min()
    };
    key(place?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_are_found_in_small_and_large_objects() {
        for count in [2, FEW, FEW + 1, 500] {
            let mut members: Members<'_> =
                (0..count).map(|place| (index(place * 7 % count).into(), Value::Null)).collect();
            if count % 7 != 0 {
                assert_eq!(repeated(&members), None, "{count}");
            }
            members.extend([("1".into(), Value::Null), ("0".into(), Value::Null)]);
            assert_eq!(repeated(&members), Some("1"), "{count}");
        }
    }
}
