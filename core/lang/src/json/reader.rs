//! Reading: one pass over the text that checks it and lays it out as a tape.

use alloc::{collections::BTreeSet, format, string::String, vec::Vec};

use super::{
    failure::shorten,
    keys::{Fingerprints, has_repeated_key},
    lexer,
    pointer::Pointer,
    tape::{Cell, Tag, Tape, outer},
};
use crate::{codes, decimal::float, error::Error};

/// How many containers may be nested in one document: 128 pass, 129 do not (SPEC section 3.1).
pub const MAX_DEPTH: usize = 128;

/// How many bytes one input may have: 8 MiB (SPEC section 13.3).
pub const MAX_DOCUMENT_BYTES: usize = 8 << 20;

/// How many bytes the text of an answer may have: 16 MiB (SPEC section 18.9).
pub const MAX_ANSWER_BYTES: usize = 16 << 20;

/// What [`read`] accepts.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Members of the top-level object that are documents of their own: the object around them is no container,
    /// so depth is counted, and pointers begin, inside of them.
    pub documents: &'static [&'static str],
    /// The size limit in bytes.
    pub bytes: usize,
}

impl Limits {
    /// One plain document under the default limits.
    pub const DOCUMENT: Self = Self { documents: &[], bytes: MAX_DOCUMENT_BYTES };
    /// An answer of this engine, or one that was held to its limits already: it may be larger than any input.
    pub const ANSWER: Self = Self { documents: &[], bytes: usize::MAX };
}

/// Checks a JSON text and lays it out.
///
/// # Errors
///
/// [`codes::MALFORMED_JSON`] (path `""`, the message says line and column) for text that is not UTF-8 or not
/// JSON, [`codes::DUPLICATE_KEY`] at the second member of that name, [`codes::LIMIT_EXCEEDED`] for text over
/// the size limit and at the first container that is nested too deep. The first error in document order wins.
///
/// ```
/// use adjudicate_lang::{codes, json};
/// let tape = json::read(br#"{"a": [1, "x\n"]}"#, json::Limits::DOCUMENT)?;
/// assert_eq!(tape.root().member("a").and_then(|list| list.items().last()?.as_str()), Some("x\n"));
///
/// let error = json::read(br#"{"a": {"b": 1, "b": 2}}"#, json::Limits::DOCUMENT).unwrap_err();
/// assert_eq!((error.code(), error.path()), (codes::DUPLICATE_KEY, "/a/b"));
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
pub fn read(bytes: &[u8], limits: Limits) -> Result<Tape<'_>, Error> {
    if bytes.len() > limits.bytes {
        let message = format!("input of {} bytes is over the limit of {}", bytes.len(), limits.bytes);
        return Err(Error::new(codes::LIMIT_EXCEEDED, message));
    }
    let text = core::str::from_utf8(bytes).map_err(|error| {
        let message = format!("not UTF-8 from byte {} on", error.valid_up_to());
        Error::new(codes::MALFORMED_JSON, message)
    })?;
    // The quick pass checks the keys of an object when it ends. Should it find anything wrong, the thorough pass
    // checks each key as it comes, and so finds what is wrong first.
    Builder::<false>::new(text, limits).run().or_else(|_| Builder::<true>::new(text, limits).run())
}

/// A container that has not ended yet.
#[derive(Default)]
struct Open {
    cell: usize,
    is_object: bool,
    count: u32,
    /// The cell of the latest key, for the path.
    key: usize,
    keys: Fingerprints,
    /// The keys so far; filled by the thorough pass only.
    seen: BTreeSet<String>,
}

/// One pass over the text.
struct Builder<'a, const THOROUGH: bool> {
    tape: Tape<'a>,
    at: usize,
    open: Vec<Open>,
    /// How deep a container may be where the builder stands.
    depth_limit: usize,
    limits: Limits,
}

impl<'a, const THOROUGH: bool> Builder<'a, THOROUGH> {
    fn new(text: &'a str, limits: Limits) -> Self {
        let open = Vec::with_capacity(16);
        // What everyday documents need; a long one may well be long for its strings or spaces. Taken last, so that
        // an allocator that can do so lets it grow where it is.
        let cells = Vec::with_capacity((text.len() / 12 + 8).min(1 << 14));
        let tape = Tape { text, unescaped: String::new(), cells };
        Self { tape, at: 0, open, depth_limit: MAX_DEPTH, limits }
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
            Some(b'"') => return self.string(),
            Some(b't') => (Tag::True, self.keyword("true")?),
            Some(b'f') => (Tag::False, self.keyword("false")?),
            Some(b'n') => (Tag::Null, self.keyword("null")?),
            Some(_) => return self.number(),
            None => return Err(self.malformed(self.at, "text ends where a value should be")),
        };
        self.push(tag, self.at, end);
        self.at = end;
        Ok(())
    }

    /// Reads the number at the cursor.
    fn number(&mut self) -> Result<(), Error> {
        let bytes = self.tape.text.as_bytes();
        let lexer::Number { end, is_integer, glance } =
            lexer::number(bytes, self.at).map_err(|(at, fault)| self.malformed(at, fault))?;
        // Only an exponent or some 300 digits can carry a number out of range.
        let text = self.tape.text.get(self.at..end).unwrap_or_default();
        let suspicious = text.len() > 300 || (!is_integer && text.bytes().any(|b| matches!(b, b'e' | b'E')));
        if suspicious && !float::is_finite(text) {
            return Err(self.malformed(self.at, "number out of range"));
        }
        let tag = if is_integer { Tag::Integer } else { Tag::Float };
        let cell = Cell::number(tag, narrow(self.at), narrow(end), glance);
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

    /// Reads the string at the cursor (a quote) and moves behind it.
    fn string(&mut self) -> Result<(), Error> {
        let start = self.at + 1;
        let end = lexer::plain_run(self.tape.text.as_bytes(), start);
        if self.tape.text.as_bytes().get(end) == Some(&b'"') {
            self.push(Tag::Plain, start, end);
            self.at = end + 1;
            return Ok(());
        }
        let from = self.tape.unescaped.len();
        self.tape.unescaped.push_str(self.tape.text.get(start..end).unwrap_or_default());
        let closed = lexer::unescape(self.tape.text, end, &mut self.tape.unescaped);
        let close = closed.map_err(|(at, fault)| self.malformed(at, fault))?;
        let to = self.tape.unescaped.len();
        self.push(Tag::Escaped, from, to);
        self.at = close + 1;
        Ok(())
    }

    /// Begins the container at the cursor. True: the cursor stands at its first value. False: it was empty and
    /// is behind the cursor.
    #[inline]
    fn open_container(&mut self) -> Result<bool, Error> {
        let is_object = self.peek() == Some(b'{');
        if self.open.len() >= self.depth_limit {
            let message = format!("more than {MAX_DEPTH} nested containers");
            return Err(self.located(Error::new(codes::LIMIT_EXCEEDED, message), self.open.len()));
        }
        let cell = self.tape.cells.len();
        self.push(if is_object { Tag::Object } else { Tag::Array }, 0, 0);
        self.open.push(Open { cell, is_object, count: 0, key: cell, ..Open::default() });
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

    /// Reads what follows a value: a comma, and then there is another value to read, or the ends of containers.
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
        if self.peek() != Some(b'"') {
            return Err(self.malformed(self.at, "expected a key in double quotes"));
        }
        let cell = self.tape.cells.len();
        self.string()?;
        let outer = outer(self.tape.string_bytes(cell));
        if let Some(key) = self.tape.cells.get_mut(cell) {
            key.outer = outer;
        }
        let depth = self.open.len();
        if let Some(top) = self.open.last_mut() {
            top.key = cell;
            top.keys.note(self.tape.string_bytes(cell));
            if depth == 1 && !self.limits.documents.is_empty() {
                let is_document = self.limits.documents.contains(&self.tape.string_at(cell));
                self.depth_limit = MAX_DEPTH + usize::from(is_document);
            }
            if THOROUGH && !top.seen.insert(self.tape.string_at(cell).into()) {
                return Err(self.duplicate(depth));
            }
        }
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err(self.malformed(self.at, "expected `:`"));
        }
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    /// Ends the innermost container at the cursor.
    fn close(&mut self) -> Result<(), Error> {
        self.at += 1;
        let end = u32::try_from(self.tape.cells.len()).unwrap_or(u32::MAX);
        let Some(top) = self.open.pop() else { return Ok(()) };
        if let Some(cell) = self.tape.cells.get_mut(top.cell) {
            (cell.start, cell.end) = (top.count, end);
        }
        if top.keys.may_repeat() && !THOROUGH && has_repeated_key(self.tape.node(top.cell)) {
            return Err(self.duplicate(self.open.len()));
        }
        Ok(())
    }

    #[inline]
    fn push(&mut self, tag: Tag, start: usize, end: usize) {
        self.add(Cell { tag, start: narrow(start), end: narrow(end), outer: [0; 2] });
    }

    #[inline]
    fn add(&mut self, cell: Cell) {
        if self.tape.cells.len() == self.tape.cells.capacity() {
            self.make_room();
        }
        self.tape.cells.push(cell);
    }

    /// Reserves the cells that the rest of the text needs if it is as dense as the text so far, and a sixteenth more. The tape is
    /// most of what a call holds, and doubling it would hold three times that.
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
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// The error with the path of where the first `depth` open containers stand, and with the document that is in.
    fn located(&self, error: Error, depth: usize) -> Error {
        let mut path = Pointer::new("");
        let mut document = None;
        for (level, open) in self.open.iter().take(depth).enumerate() {
            let name = self.tape.string_at(open.key);
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
        let name = self.open.last().map_or("", |top| self.tape.string_at(top.key));
        let message = format!("key `{}` is there twice", shorten(name));
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

/// A place in a text, which the size limit keeps far below 4 GiB.
fn narrow(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
