//! The JSON reader: one pass over the text that checks it and writes the tape.

use alloc::{collections::BTreeSet, format, string::String, vec::Vec};

use super::{
    keys::{Fingerprints, has_repeated_key},
    lexer,
    messages::shorten,
    pointer::Pointer,
    tape::{Cell, Tag, Tape, outer},
};
use crate::{codes, decimal::float, error::Error};

/// The most nested containers of a document: 128 pass, 129 do not (docs/reference/errors.md).
pub const MAX_DEPTH: usize = 128;

/// The most bytes of an input: 8 MiB (docs/reference/errors.md).
pub const MAX_DOCUMENT_BYTES: usize = 8 << 20;

/// The most bytes of an answer: 16 MiB (docs/reference/errors.md).
pub const MAX_ANSWER_BYTES: usize = 16 << 20;

/// The limits of [`read`].
#[derive(Clone, Copy, Debug)]
pub struct ReadLimits {
    /// Fields of the top-level object that are documents of their own. The object around them does not count as a container:
    /// depth and pointers begin inside these fields.
    pub documents: &'static [&'static str],
    /// The size limit in bytes.
    pub bytes: usize,
}

impl ReadLimits {
    /// One plain document with the default limits.
    pub const DOCUMENT: Self = Self { documents: &[], bytes: MAX_DOCUMENT_BYTES };
    /// An answer of the engine, or a text that was already checked against its limits. It may be larger than any input.
    pub const ANSWER: Self = Self { documents: &[], bytes: usize::MAX };

    /// Returns an error if a text of this length is over the size limit.
    pub(super) fn check_length(self, length: usize) -> Result<(), Error> {
        // The positions of a tape have 32 bits.
        let limit = self.bytes.min(u32::MAX as usize);
        if length <= limit {
            return Ok(());
        }
        let message = format!("input of {length} bytes is over the limit of {limit}");
        Err(Error::new(codes::LIMIT_EXCEEDED, message))
    }
}

/// Checks a JSON text and returns its tape.
///
/// # Errors
///
/// - [`codes::MALFORMED_JSON`] for text that is not UTF-8 or not JSON. The path is `""`; the message has line and column.
/// - [`codes::DUPLICATE_KEY`] at the second field of that name.
/// - [`codes::LIMIT_EXCEEDED`] for text over the size limit and at the first container that is nested too deep.
///
/// The first error in document order wins.
///
/// ```
/// use adjudicate_lang::{codes, json};
/// let tape = json::read(br#"{"a": [1, "x\n"]}"#, json::ReadLimits::DOCUMENT)?;
/// assert_eq!(tape.root().member("a").and_then(|list| list.items().last()?.as_str()), Some("x\n"));
///
/// let error = json::read(br#"{"a": {"b": 1, "b": 2}}"#, json::ReadLimits::DOCUMENT).unwrap_err();
/// assert_eq!((error.code(), error.path()), (codes::DUPLICATE_KEY, "/a/b"));
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
pub fn read(bytes: &[u8], limits: ReadLimits) -> Result<Tape<'_>, Error> {
    read_nested(bytes, limits, MAX_DEPTH)
}

/// Reads as [`read()`] does, but allows `depth_limit` nested containers.
pub(super) fn read_nested(bytes: &[u8], limits: ReadLimits, depth_limit: usize) -> Result<Tape<'_>, Error> {
    limits.check_length(bytes.len())?;
    let text = core::str::from_utf8(bytes).map_err(|error| {
        let message = format!("not UTF-8 from byte {} on", error.valid_up_to());
        Error::new(codes::MALFORMED_JSON, message)
    })?;
    // The quick pass checks the keys of an object at its end. After any error, the thorough pass checks each key at once, and so
    // finds the first error of the document.
    TapeBuilder::new(text, limits, depth_limit, false)
        .run()
        .or_else(|_| TapeBuilder::new(text, limits, depth_limit, true).run())
}

/// A container that has not ended yet.
struct OpenContainer {
    cell: usize,
    is_object: bool,
    count: u32,
    /// The cell of the latest key, for the path.
    key: usize,
    keys: Fingerprints,
}

/// One pass over the text.
struct TapeBuilder<'a> {
    tape: Tape<'a>,
    at: usize,
    open: Vec<OpenContainer>,
    /// The depth limit at the current position.
    depth_limit: usize,
    limits: ReadLimits,
    is_thorough: bool,
    /// The keys so far of each open container; only in the thorough pass.
    seen: Vec<BTreeSet<String>>,
}

impl<'a> TapeBuilder<'a> {
    fn new(text: &'a str, limits: ReadLimits, depth_limit: usize, is_thorough: bool) -> Self {
        let open = Vec::with_capacity(16);
        // Enough for common documents. A long text may consist of long strings or white space. Allocated last, so that some
        // allocators can grow it in place.
        let cells = Vec::with_capacity((text.len() / 12 + 8).min(1 << 14));
        let tape = Tape { text, unescaped: String::new(), cells };
        Self { tape, at: 0, open, depth_limit, limits, is_thorough, seen: Vec::new() }
    }

    fn run(mut self) -> Result<Tape<'a>, Error> {
        self.skip_space();
        loop {
            match self.peek() {
                Some(b'{' | b'[') if self.open_container()? => continue,
                Some(b'{' | b'[') => {}
                _ => self.scalar()?,
            }
            if !self.after_value()? {
                break;
            }
        }
        match self.peek() {
            None => Ok(self.tape),
            Some(_) => Err(self.malformed(self.at, "text after the end of the document")),
        }
    }

    /// Reads the scalar at the cursor.
    fn scalar(&mut self) -> Result<(), Error> {
        let (tag, end) = match self.peek() {
            Some(b'"') => return self.string(false),
            Some(b't') => (Tag::True, self.keyword("true")?),
            Some(b'f') => (Tag::False, self.keyword("false")?),
            Some(b'n') => (Tag::Null, self.keyword("null")?),
            Some(_) => return self.number(),
            None => return Err(self.malformed(self.at, "text ends where a value should be")),
        };
        self.add(Cell::new(tag, self.at, end));
        self.at = end;
        Ok(())
    }

    /// Reads the number at the cursor.
    fn number(&mut self) -> Result<(), Error> {
        let bytes = self.tape.text.as_bytes();
        let lexer::ScannedNumber { end, is_integer, glance } =
            lexer::number(bytes, self.at).map_err(|(at, fault)| self.malformed(at, fault))?;
        // Only an exponent or more than 300 digits can make a number infinite, or zero by rounding.
        if !is_integer || end - self.at > 300 {
            let text = self.tape.text.get(self.at..end).unwrap_or_default();
            let suspicious = text.len() > 300 || text.bytes().any(|b| matches!(b, b'e' | b'E'));
            if suspicious && !float::is_in_range(text) {
                return Err(self.malformed(self.at, "number out of range"));
            }
        }
        let tag = if is_integer { Tag::Integer } else { Tag::Float };
        let cell = Cell::number(tag, self.at as u32, end as u32, glance);
        self.add(cell);
        self.at = end;
        Ok(())
    }

    fn keyword(&self, word: &'static str) -> Result<usize, Error> {
        let end = self.at + word.len();
        if self.tape.text.as_bytes().get(self.at..end) == Some(word.as_bytes()) {
            Ok(end)
        } else {
            Err(self.malformed(self.at, "expected a value"))
        }
    }

    /// Reads the string at the cursor (a quote), which may be a name, and moves behind it.
    // Half of the tokens are strings, and a call would cost as much as its search.
    #[inline(always)]
    fn string(&mut self, is_name: bool) -> Result<(), Error> {
        let bytes = self.tape.text.as_bytes();
        let start = self.at + 1;
        let end = lexer::plain_run(bytes, start);
        if bytes.get(end) != Some(&b'"') {
            return self.escaped(start, end, is_name);
        }
        self.at = end + 1;
        let outer = if is_name { outer(bytes.get(start..end).unwrap_or_default()) } else { [0; 2] };
        self.add_string(Cell { outer, ..Cell::new(Tag::Plain, start, end) }, is_name);
        Ok(())
    }

    /// Reads the string that begins at `start` and whose first byte that is not plain is at `end`.
    #[cold]
    #[inline(never)]
    fn escaped(&mut self, start: usize, end: usize, is_name: bool) -> Result<(), Error> {
        let from = self.tape.unescaped.len();
        // Enough for most strings, and less than the text.
        self.tape.unescaped.reserve((self.tape.text.len() - start).min(1024));
        self.tape.unescaped.push_str(self.tape.text.get(start..end).unwrap_or_default());
        let closed = lexer::unescape(self.tape.text, end, &mut self.tape.unescaped);
        let close = closed.map_err(|(at, fault)| self.malformed(at, fault))?;
        self.at = close + 1;
        let outer = outer(self.tape.unescaped.as_bytes().get(from..).unwrap_or_default());
        self.add_string(Cell { outer, ..Cell::new(Tag::Escaped, from, self.tape.unescaped.len()) }, is_name);
        Ok(())
    }

    /// Adds the cell of a string. A name becomes the latest key of its object.
    #[inline]
    fn add_string(&mut self, cell: Cell, is_name: bool) {
        if is_name && let Some(top) = self.open.last_mut() {
            top.key = self.tape.cells.len();
            top.keys.note(cell.outer, cell.end.wrapping_sub(cell.start));
        }
        self.add(cell);
    }

    /// Begins the container at the cursor. Returns `true` with the cursor at its first value, or `false` with the cursor behind
    /// an empty container.
    #[inline]
    fn open_container(&mut self) -> Result<bool, Error> {
        let is_object = self.peek() == Some(b'{');
        if self.open.len() >= self.depth_limit {
            let message = format!("more than {MAX_DEPTH} nested containers");
            return Err(self.located(Error::new(codes::LIMIT_EXCEEDED, message), self.open.len()));
        }
        let cell = self.tape.cells.len();
        self.add(Cell::new(if is_object { Tag::Object } else { Tag::Array }, 0, 0));
        self.open.push(OpenContainer { cell, is_object, count: 0, key: cell, keys: Fingerprints::default() });
        if self.is_thorough {
            self.seen.push(BTreeSet::new());
        }
        self.at += 1;
        self.skip_space();
        if self.peek() == Some(if is_object { b'}' } else { b']' }) {
            return self.close().map(|()| false);
        }
        if is_object {
            self.key()?;
        }
        Ok(true)
    }

    /// Reads the text after a value. Returns `true` after a comma, with the cursor at the next value, and `false` at the end of
    /// the document.
    #[inline]
    fn after_value(&mut self) -> Result<bool, Error> {
        loop {
            self.skip_space();
            let Some(top) = self.open.last_mut() else { return Ok(false) };
            let is_object = top.is_object;
            match (self.tape.text.as_bytes().get(self.at), is_object) {
                (Some(b','), _) => {
                    top.count += 1;
                    self.at += 1;
                    self.skip_space();
                    if is_object {
                        self.key()?;
                    }
                    return Ok(true);
                }
                (Some(b'}'), true) | (Some(b']'), false) => {
                    top.count += 1;
                    self.close()?;
                }
                (Some(_), true) => return Err(self.malformed(self.at, "expected `,` or `}`")),
                (Some(_), false) => return Err(self.malformed(self.at, "expected `,` or `]`")),
                (None, _) => return Err(self.malformed(self.at, "text ends inside a container")),
            }
        }
    }

    /// Reads a key and the colon after it.
    fn key(&mut self) -> Result<(), Error> {
        match self.peek() {
            Some(b'"') => {}
            // An empty object ends before its first key is read, so a comma comes before this bracket.
            Some(b'}') => return Err(self.malformed(self.at, "trailing comma before `}`")),
            _ => return Err(self.malformed(self.at, "expected a key in double quotes")),
        }
        let (key, depth) = (self.tape.cells.len(), self.open.len());
        self.string(true)?;
        if depth == 1 && !self.limits.documents.is_empty() {
            let is_document = self.limits.documents.contains(&self.tape.node(key).name());
            self.depth_limit = MAX_DEPTH + usize::from(is_document);
        }
        if let Some(seen) = self.seen.last_mut()
            && !seen.insert(self.tape.node(key).name().into())
        {
            return Err(self.duplicate(depth));
        }
        self.skip_space();
        match self.tape.text.as_bytes().get(self.at..) {
            // Usually one space follows.
            Some([b':', b' ', ..]) => self.at += 2,
            Some([b':', ..]) => self.at += 1,
            _ => return Err(self.malformed(self.at, "expected `:`")),
        }
        self.skip_space();
        Ok(())
    }

    /// Ends the innermost container at the cursor.
    fn close(&mut self) -> Result<(), Error> {
        self.at += 1;
        let end = self.tape.cells.len() as u32;
        let Some(top) = self.open.pop() else { return Ok(()) };
        if let Some(cell) = self.tape.cells.get_mut(top.cell) {
            (cell.start, cell.end) = (top.count, end);
        }
        if self.is_thorough {
            self.seen.pop();
        } else if top.keys.may_repeat() && has_repeated_key(self.tape.node(top.cell)) {
            return Err(self.duplicate(self.open.len()));
        }
        Ok(())
    }

    #[inline]
    fn add(&mut self, cell: Cell) {
        if self.tape.cells.len() == self.tape.cells.capacity() {
            self.make_room();
        }
        self.tape.cells.push(cell);
    }

    /// Reserves the cells for the rest of the text at the density so far, plus a sixteenth. The tape is most of the memory of a
    /// call, and doubling it would take three times that.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self) {
        let cells = &mut self.tape.cells;
        let left = self.tape.text.len().saturating_sub(self.at);
        let expected = (cells.len() as u64 * left as u64 / self.at.max(1) as u64) as usize;
        cells.reserve_exact(expected + cells.len() / 16 + 16);
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.tape.text.as_bytes().get(self.at).copied()
    }

    #[inline]
    fn skip_space(&mut self) {
        if self.peek().is_some_and(|byte| byte <= b' ') {
            self.at = lexer::space_run(self.tape.text.as_bytes(), self.at);
        }
    }

    /// Adds a path to an error: that of the innermost of the first `depth` open containers. Adds the name of the document, too.
    fn located(&self, error: Error, depth: usize) -> Error {
        let mut path = Pointer::new("");
        let mut document = None;
        for (level, open) in self.open.iter().take(depth).enumerate() {
            let name = self.tape.node(open.key).name();
            let is_document = level == 0 && depth > 1 && self.limits.documents.contains(&name);
            path = match open.is_object {
                true if is_document => {
                    document = Some(name);
                    path
                }
                true => path.key(name),
                false => path.index(open.count as usize),
            };
        }
        let error = error.at(path.into_string());
        match document {
            Some(name) => error.within(name),
            None => error,
        }
    }

    fn duplicate(&self, depth: usize) -> Error {
        let name = self.open.last().map_or("", |top| self.tape.node(top.key).name());
        let message = format!("key `{}` is a duplicate", shorten(name));
        self.located(Error::new(codes::DUPLICATE_KEY, message), depth)
    }

    fn malformed(&self, at: usize, fault: &str) -> Error {
        let before = self.tape.text.as_bytes().get(..at).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        let text = self.tape.text.get(start..at).unwrap_or_default();
        let column = text.chars().count() + 1;
        Error::new(codes::MALFORMED_JSON, format!("{fault}, line {line} column {column}"))
    }
}

#[cfg(test)]
mod tests;
