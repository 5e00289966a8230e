//! The tape: a JSON text checked once and laid out flat, borrowing from the text.
//!
//! One vector of small nodes in document order; a container's node knows where its last descendant ends, so
//! skipping a value is one addition. Strings without escapes are slices of the text, the others are unescaped
//! into one side buffer. Nothing else is allocated.

use alloc::{collections::BTreeSet, format, string::String, vec::Vec};

use super::{lexer, pointer::Pointer};
use crate::{codes::ErrorCode, error::Error};

/// How many containers may be nested in one document: 128 pass, 129 do not (SPEC section 3.1).
pub const MAX_DEPTH: usize = 128;

/// How many bytes one input may have: 8 MiB (SPEC section 13.3).
pub const MAX_DOCUMENT_BYTES: usize = 8 << 20;

/// What a node of the tape is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number written without fraction and exponent.
    Integer,
    /// Any other number.
    Float,
    /// A string.
    String,
    /// A list.
    Array,
    /// An object.
    Object,
}

/// The compact form of [`Kind`] with what it needs to find its text or its end.
#[derive(Clone, Copy, Debug)]
struct Cell {
    tag: Tag,
    /// Scalars: where the text begins. Containers: how many items or members there are.
    start: u32,
    /// Scalars: where the text ends. Containers: the index of the first node after the last descendant.
    end: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tag {
    Null,
    True,
    False,
    Integer,
    Float,
    /// A string that is a slice of the text.
    Plain,
    /// A string that was unescaped into the side buffer.
    Escaped,
    Array,
    Object,
}

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
}

/// A checked JSON text.
#[derive(Debug)]
pub struct Tape<'a> {
    text: &'a str,
    unescaped: String,
    cells: Vec<Cell>,
}

/// Checks a JSON text and lays it out.
///
/// # Errors
///
/// [`ErrorCode::MalformedJson`] (path `""`, the message says line and column) for text that is not UTF-8 or not
/// JSON, [`ErrorCode::DuplicateKey`] at the second member of that name, [`ErrorCode::LimitExceeded`] for text over
/// the size limit and at the first container that is nested too deep. The first error in document order wins.
///
/// ```
/// use adjudicate_core::{ErrorCode, json};
/// let tape = json::read(br#"{"a": [1, "x\n"]}"#, json::Limits::DOCUMENT)?;
/// assert_eq!(tape.root().member("a").and_then(|list| list.items().last()?.as_str()), Some("x\n"));
///
/// let error = json::read(br#"{"a": {"b": 1, "b": 2}}"#, json::Limits::DOCUMENT).unwrap_err();
/// assert_eq!((error.code(), error.path()), (ErrorCode::DuplicateKey, "/a/b"));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
pub fn read(bytes: &[u8], limits: Limits) -> Result<Tape<'_>, Error> {
    if bytes.len() > limits.bytes {
        let message = format!("input of {} bytes is over the limit of {}", bytes.len(), limits.bytes);
        return Err(Error::new(ErrorCode::LimitExceeded, message));
    }
    let text = core::str::from_utf8(bytes).map_err(|error| {
        let message = format!("not UTF-8 from byte {} on", error.valid_up_to());
        Error::new(ErrorCode::MalformedJson, message)
    })?;
    // The quick pass checks the keys of an object when it ends. Should it find anything wrong, the thorough pass
    // checks each key as it comes, and so finds what is wrong first.
    Builder::<false>::new(text, limits).run().or_else(|_| Builder::<true>::new(text, limits).run())
}

/// A container that has not ended yet.
struct Open {
    cell: usize,
    is_object: bool,
    count: u32,
    /// The cell of the latest key, for the path.
    key: usize,
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
        let cells = Vec::with_capacity(text.len() / 12 + 8);
        let tape = Tape { text, unescaped: String::new(), cells };
        Self { tape, at: 0, open: Vec::with_capacity(16), depth_limit: MAX_DEPTH, limits }
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
            Some(_) => self.number()?,
            None => return Err(self.malformed(self.at, "text ends where a value should be")),
        };
        self.push(tag, self.at, end);
        self.at = end;
        Ok(())
    }

    fn number(&self) -> Result<(Tag, usize), Error> {
        let bytes = self.tape.text.as_bytes();
        let (end, integer) =
            lexer::number(bytes, self.at).map_err(|(at, fault)| self.malformed(at, fault))?;
        // Only an exponent or some 300 digits can carry a number out of range.
        let text = self.tape.text.get(self.at..end).unwrap_or_default();
        let suspicious = text.len() > 300 || (!integer && text.bytes().any(|b| matches!(b, b'e' | b'E')));
        if suspicious && !text.parse::<f64>().is_ok_and(f64::is_finite) {
            return Err(self.malformed(self.at, "number out of range"));
        }
        Ok((if integer { Tag::Integer } else { Tag::Float }, end))
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
    fn open_container(&mut self) -> Result<bool, Error> {
        let is_object = self.peek() == Some(b'{');
        if self.open.len() >= self.depth_limit {
            let message = format!("more than {MAX_DEPTH} nested containers");
            return Err(Error::new(ErrorCode::LimitExceeded, message).at(self.path(self.open.len())));
        }
        let cell = self.tape.cells.len();
        self.push(if is_object { Tag::Object } else { Tag::Array }, 0, 0);
        self.open.push(Open { cell, is_object, count: 0, key: cell, seen: BTreeSet::new() });
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
        let depth = self.open.len();
        if let Some(top) = self.open.last_mut() {
            top.key = cell;
            let name = self.tape.string_at(cell);
            if depth == 1 && !self.limits.documents.is_empty() {
                self.depth_limit = MAX_DEPTH + usize::from(self.limits.documents.contains(&name));
            }
            if THOROUGH && !top.seen.insert(name.into()) {
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
        if top.is_object && !THOROUGH && has_repeated_key(self.tape.node(top.cell)) {
            return Err(self.duplicate(self.open.len()));
        }
        Ok(())
    }

    fn push(&mut self, tag: Tag, start: usize, end: usize) {
        // The size limit keeps both far below 4 GiB.
        let narrow = |wide| u32::try_from(wide).unwrap_or(u32::MAX);
        self.tape.cells.push(Cell { tag, start: narrow(start), end: narrow(end) });
    }

    fn peek(&self) -> Option<u8> {
        self.tape.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// Path of where the first `depth` open containers stand.
    fn path(&self, depth: usize) -> String {
        let mut path = Pointer::new("");
        for (level, open) in self.open.iter().take(depth).enumerate() {
            let name = self.tape.string_at(open.key);
            let is_document = level == 0 && depth > 1 && self.limits.documents.contains(&name);
            path = match open.is_object {
                true if is_document => path,
                true => path.key(name),
                false => path.index(open.count as usize),
            };
        }
        path.into_string()
    }

    fn duplicate(&self, depth: usize) -> Error {
        let name = self.open.last().map_or("", |top| self.tape.string_at(top.key));
        Error::new(ErrorCode::DuplicateKey, format!("key `{name}` is there twice")).at(self.path(depth))
    }

    fn malformed(&self, at: usize, fault: &str) -> Error {
        let before = self.tape.text.as_bytes().get(..at).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        let text = self.tape.text.get(start..at).unwrap_or_default();
        let column = text.chars().count() + 1;
        Error::new(ErrorCode::MalformedJson, format!("{fault}, line {line} column {column}"))
    }
}

/// Whether an object has two members of one name.
fn has_repeated_key(object: Node<'_>) -> bool {
    const FEW: u32 = 12;
    if object.len() <= FEW as usize {
        let mut rest = object.members();
        while let Some((key, _)) = rest.next() {
            if rest.clone().any(|(other, _)| other == key) {
                return true;
            }
        }
        return false;
    }
    let mut keys: Vec<&str> = object.members().map(|(key, _)| key).collect();
    keys.sort_unstable();
    keys.windows(2).any(|pair| matches!(pair, [left, right] if left == right))
}

impl<'a> Tape<'a> {
    /// The document's value.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        self.node(0)
    }

    /// The text this tape was read from.
    #[must_use]
    pub const fn text(&self) -> &'a str {
        self.text
    }

    pub(super) const fn node(&self, at: usize) -> Node<'_> {
        Node { tape: self, at }
    }

    fn cell(&self, at: usize) -> Cell {
        self.cells.get(at).copied().unwrap_or(Cell { tag: Tag::Null, start: 0, end: 0 })
    }

    /// The string or number at a cell; empty for anything else.
    fn string_at(&self, at: usize) -> &str {
        let cell = self.cell(at);
        let extent = cell.start as usize..cell.end as usize;
        match cell.tag {
            Tag::Plain | Tag::Integer | Tag::Float => self.text.get(extent).unwrap_or_default(),
            Tag::Escaped => self.unescaped.get(extent).unwrap_or_default(),
            _ => "",
        }
    }

    /// The cell after the value at `at`.
    fn next(&self, at: usize) -> usize {
        let cell = self.cell(at);
        match cell.tag {
            Tag::Array | Tag::Object => cell.end as usize,
            _ => at + 1,
        }
    }
}

/// One value of a tape.
#[derive(Clone, Copy, Debug)]
pub struct Node<'t> {
    tape: &'t Tape<'t>,
    at: usize,
}

impl<'t> Node<'t> {
    /// What the value is.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self.tape.cell(self.at).tag {
            Tag::Null => Kind::Null,
            Tag::True => Kind::Bool(true),
            Tag::False => Kind::Bool(false),
            Tag::Integer => Kind::Integer,
            Tag::Float => Kind::Float,
            Tag::Plain | Tag::Escaped => Kind::String,
            Tag::Array => Kind::Array,
            Tag::Object => Kind::Object,
        }
    }

    /// The string, unescaped, if the value is one.
    #[must_use]
    pub fn as_str(self) -> Option<&'t str> {
        (self.kind() == Kind::String).then(|| self.tape.string_at(self.at))
    }

    /// The number as it is written, if the value is one.
    #[must_use]
    pub fn as_number(self) -> Option<&'t str> {
        matches!(self.kind(), Kind::Integer | Kind::Float).then(|| self.tape.string_at(self.at))
    }

    /// How many items or members a container has; 0 for anything else.
    #[must_use]
    pub fn len(self) -> usize {
        let cell = self.tape.cell(self.at);
        if matches!(cell.tag, Tag::Array | Tag::Object) { cell.start as usize } else { 0 }
    }

    /// Whether there are no items or members.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The items of a list, in order; none for anything else.
    #[must_use]
    pub fn items(self) -> Items<'t> {
        let left = if self.kind() == Kind::Array { self.len() } else { 0 };
        Items { tape: self.tape, at: self.at + 1, left }
    }

    /// The members of an object, in document order; none for anything else.
    #[must_use]
    pub fn members(self) -> Members<'t> {
        let left = if self.kind() == Kind::Object { self.len() } else { 0 };
        Members(Items { tape: self.tape, at: self.at + 1, left })
    }

    /// The member of that name, if the value is an object that has it.
    #[must_use]
    pub fn member(self, name: &str) -> Option<Self> {
        self.members().find(|(key, _)| *key == name).map(|(_, value)| value)
    }
}

/// Iterator over the items of a list.
#[derive(Clone, Debug)]
pub struct Items<'t> {
    tape: &'t Tape<'t>,
    at: usize,
    left: usize,
}

impl<'t> Iterator for Items<'t> {
    type Item = Node<'t>;

    fn next(&mut self) -> Option<Node<'t>> {
        self.left = self.left.checked_sub(1)?;
        let node = Node { tape: self.tape, at: self.at };
        self.at = self.tape.next(self.at);
        Some(node)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

/// Iterator over the members of an object.
#[derive(Clone, Debug)]
pub struct Members<'t>(Items<'t>);

impl<'t> Iterator for Members<'t> {
    type Item = (&'t str, Node<'t>);

    fn next(&mut self) -> Option<Self::Item> {
        let Items { tape, at, left } = &mut self.0;
        *left = left.checked_sub(1)?;
        let key = tape.string_at(*at);
        let node = Node { tape, at: *at + 1 };
        *at = tape.next(*at + 1);
        Some((key, node))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}
