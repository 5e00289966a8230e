//! A checked JSON text that is kept and changed.
//!
//! A change replaces a range of the text, and the cells of that range. The result is the tape that [`read`] would return for the
//! changed text, so all answers about it are the same.

use alloc::{format, string::String, vec::Vec};
use core::{mem::take, ops::Range};

use super::{
    canonical::write_string,
    messages::shorten,
    object::{missing, refuse},
    pointer::{Pointer, behind_field, is_index, is_pointer, push_segment, unescape_segment},
    reader::{MAX_DEPTH, ReadLimits, read, read_nested},
    tape::{Cell, Kind, Node, Tag, Tape, outer},
};
use crate::{codes, error::Error};

/// A checked JSON text whose values can be set and removed.
///
/// ```
/// use adjudicate_lang::json::{EditableText, ReadLimits};
/// let mut text = EditableText::read(br#"{"a": [1, 2]}"#, ReadLimits::DOCUMENT)?;
/// text.set("/a/0", b"3")?;
/// text.set("/a/-", b"null")?;
/// text.set("/b", br#""x""#)?;
/// text.remove("/a/1")?;
/// assert_eq!(text.as_str(), r#"{"a": [3, null],"b":"x"}"#);
/// assert_eq!(text.set("/c/d", b"1").unwrap_err().path(), "/c");
/// # Ok::<(), adjudicate_lang::Error>(())
/// ```
#[derive(Debug)]
pub struct EditableText {
    text: String,
    unescaped: String,
    cells: Vec<Cell>,
    limits: ReadLimits,
}

impl EditableText {
    /// Checks a JSON text.
    ///
    /// # Errors
    ///
    /// Those of [`read`].
    pub fn read(text: &[u8], limits: ReadLimits) -> Result<Self, Error> {
        let Tape { text, unescaped, cells } = read(text, limits)?;
        Ok(Self { text: text.into(), unescaped, cells, limits })
    }

    /// Returns the text with all changes.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Calls a function with the tape of the text.
    pub fn with_tape<T>(&mut self, call: impl FnOnce(&Tape<'_>) -> T) -> T {
        let tape =
            Tape { text: &self.text, unescaped: take(&mut self.unescaped), cells: take(&mut self.cells) };
        let result = call(&tape);
        Tape { unescaped: self.unescaped, cells: self.cells, .. } = tape;
        result
    }

    /// Sets the value at a JSON Pointer (RFC 6901): replaces a value, or adds a field to the end of an object.
    ///
    /// The index `-`, or the number of items, appends to a list. The empty pointer replaces the whole text. After an error the text
    /// is as before.
    ///
    /// # Errors
    ///
    /// - [`codes::INVALID_VALUE`] for a text that is not a pointer.
    /// - [`codes::MISSING_FIELD`] and [`codes::INVALID_VALUE`] for a pointer into a value that does not exist. The path is that of the
    ///   first missing part.
    /// - Those of [`read`] for the value. Their paths begin with the pointer.
    /// - [`codes::LIMIT_EXCEEDED`] if the changed text is over the size limit.
    pub fn set(&mut self, pointer: &str, value: &[u8]) -> Result<(), Error> {
        self.edit(pointer, Some(value))
    }

    /// Removes the field or the item at a JSON Pointer. After an error the text is as before.
    ///
    /// # Errors
    ///
    /// Those of [`set`](Self::set) for the pointer. [`codes::INVALID_VALUE`] for the empty pointer.
    pub fn remove(&mut self, pointer: &str) -> Result<(), Error> {
        self.edit(pointer, None)
    }

    #[inline(never)]
    fn edit(&mut self, pointer: &str, value: Option<&[u8]>) -> Result<(), Error> {
        let change = self.with_tape(|tape| Change::find(tape, pointer, value.is_some()))?;
        let Some(value) = value else { return self.splice(change, None) };
        if change.containers.is_empty() {
            *self = Self::read(value, self.limits)?;
            return Ok(());
        }
        let depth_limit = change.depth_limit(self.limits.documents);
        let value = read_nested(value, ReadLimits { documents: &[], ..self.limits }, depth_limit)
            .map_err(|error| error.below(&change.pointer))?;
        self.splice(change, Some(&value))
    }

    /// Makes a change. `value` takes the place of the replaced range.
    fn splice(&mut self, change: Change, value: Option<&Tape<'_>>) -> Result<(), Error> {
        let Change { containers, count, text, cells, name, prefix, .. } = change;
        let mut inserted = prefix;
        let value_start = text.start + inserted.len();
        inserted.push_str(value.map_or("", |value| value.text));
        self.limits.check_length(self.text.len() - text.len() + inserted.len())?;

        self.forget_strings(cells.clone());
        let mut new_cells = Vec::with_capacity(value.map_or(0, |value| value.cells.len()) + 1);
        if let Some((name, cell)) = name {
            new_cells.push(Shift::new(text.start, 0, self.unescaped.len()).apply(cell));
            if cell.tag == Tag::Escaped {
                self.unescaped.push_str(&name);
            }
        }
        if let Some(value) = value {
            let shift = Shift::new(value_start, cells.start + new_cells.len(), self.unescaped.len());
            new_cells.extend(value.cells.iter().map(|cell| shift.apply(*cell)));
            self.unescaped.push_str(&value.unescaped);
        }
        let by_text = inserted.len().wrapping_sub(text.len());
        let by_cells = new_cells.len().wrapping_sub(cells.len());
        if (by_text, by_cells) != (0, 0) {
            let shift = Shift::new(by_text, by_cells, 0);
            for cell in self.cells.get_mut(cells.end..).unwrap_or_default() {
                *cell = shift.apply(*cell);
            }
            for at in &containers {
                if let Some(container) = self.cells.get_mut(*at) {
                    *container = shift.apply(*container);
                }
            }
        }
        if let Some(container) = containers.last().and_then(|at| self.cells.get_mut(*at)) {
            container.start = container.start.wrapping_add_signed(count);
        }
        self.cells.splice(cells, new_cells);
        // `replace_range` copies byte by byte.
        drop(self.text.drain(text.clone()));
        self.text.insert_str(text.start, &inserted);

        // Most of the unescaped strings belong to no cell.
        if self.unescaped.len() > 2 * self.text.len() {
            let Tape { unescaped, cells, .. } = read(self.text.as_bytes(), self.limits)?;
            (self.unescaped, self.cells) = (unescaped, cells);
        }
        Ok(())
    }

    /// Removes the unescaped strings of these cells, if they are the last ones. So a value that is set often does not accumulate
    /// strings.
    fn forget_strings(&mut self, cells: Range<usize>) {
        let cells = self.cells.get(cells).unwrap_or_default().iter();
        let escaped = cells.filter(|cell| cell.tag == Tag::Escaped);
        let (start, length) = escaped.fold((usize::MAX, 0), |(start, length), cell| {
            (start.min(cell.start as usize), length + (cell.end - cell.start) as usize)
        });
        if start.checked_add(length) == Some(self.unescaped.len()) {
            self.unescaped.truncate(start);
        }
    }
}

/// A range of the text and of the cells that is replaced.
struct Change {
    /// The containers around the range, the outermost first.
    containers: Vec<usize>,
    /// The difference in the number of fields or items of the innermost container.
    count: i32,
    /// The pointer, with the index of an item that is added.
    pointer: String,
    text: Range<usize>,
    cells: Range<usize>,
    /// The name of a field that is added, and its cell. Positions count from the prefix.
    name: Option<(String, Cell)>,
    /// The new text before the value: a comma, and the name.
    prefix: String,
}

impl Change {
    /// Finds the place of a pointer. If a value is set there, it need not have one yet.
    fn find(tape: &Tape<'_>, pointer: &str, sets: bool) -> Result<Self, Error> {
        if !is_pointer(pointer) {
            let message = format!("expected a JSON Pointer, found `{}`", shorten(pointer));
            return Err(Error::new(codes::INVALID_VALUE, message));
        }
        let mut containers = Vec::new();
        let mut path = String::new();
        let mut name = String::new();
        let mut container = tape.root();
        let mut value = Some(container);
        let mut segments = pointer.split('/').skip(1).peekable();
        while let (Some(node), Some(segment)) = (value, segments.next()) {
            container = node;
            containers.push(container.position());
            name = unescape_segment(segment);
            let may_add = sets && segments.peek().is_none();
            value = child(container, &name, may_add).map_err(|error| error.below(&path))?;
            match (value, container.kind()) {
                (None, Kind::Array) => path = Pointer::new(&path).index(container.len()).into_string(),
                _ => push_segment(&mut path, &name),
            }
        }
        let whole = Self {
            containers,
            count: 0,
            pointer: path,
            text: 0..0,
            cells: 0..0,
            name: None,
            prefix: String::new(),
        };
        match value.map(Node::position) {
            None => Ok(whole.adding(tape, container, name)),
            Some(value) if sets => {
                Ok(Self { text: tape.range(value), cells: value..tape.next(value), ..whole })
            }
            Some(0) => Err(Error::new(codes::INVALID_VALUE, "the whole document cannot be removed")),
            Some(value) => Ok(whole.removing(tape, container, value)),
        }
    }

    /// Adds a field or an item behind the last one.
    fn adding(self, tape: &Tape<'_>, container: Node<'_>, name: String) -> Self {
        let end = tape.next(container.position());
        let before = tape.text.get(..tape.range(container.position()).end - 1).unwrap_or_default();
        let position = before.trim_end_matches([' ', '\n', '\r', '\t']).len();
        let mut prefix = String::from(if container.is_empty() { "" } else { "," });
        let name = (container.kind() == Kind::Object).then(|| {
            let start = prefix.len();
            write_string(&name, &mut prefix);
            let end = prefix.len();
            prefix.push(':');
            let cell = match end - start == name.len() + 2 {
                true => Cell::new(Tag::Plain, start + 1, end - 1),
                false => Cell::new(Tag::Escaped, 0, name.len()),
            };
            let cell = Cell { outer: outer(name.as_bytes()), ..cell };
            (name, cell)
        });
        Self { count: 1, text: position..position, cells: end..end, name, prefix, ..self }
    }

    /// Removes a field or an item, and one comma.
    fn removing(self, tape: &Tape<'_>, container: Node<'_>, value: usize) -> Self {
        let first = if container.kind() == Kind::Object { value - 1 } else { value };
        let behind = tape.next(value);
        let start = tape.start(first);
        let text = if behind < tape.next(container.position()) {
            start..tape.start(behind)
        } else {
            // Only white space stands between a comma and the value after it.
            let comma = tape.text.get(..start).and_then(|before| before.rfind(','));
            let start = comma.filter(|_| container.len() > 1).unwrap_or(start);
            start..tape.range(value).end
        };
        Self { count: -1, text, cells: first..behind, ..self }
    }

    /// Returns the number of containers that the new value may nest.
    fn depth_limit(&self, documents: &[&str]) -> usize {
        let is_in_document = documents.iter().any(|name| behind_field(&self.pointer, name).is_some());
        MAX_DEPTH + usize::from(is_in_document) - self.containers.len()
    }
}

/// Returns the field or the item of a container. `None` is the place behind the last one, if `may_add`.
fn child<'t>(container: Node<'t>, name: &str, may_add: bool) -> Result<Option<Node<'t>>, Error> {
    match container.kind() {
        Kind::Object => match container.member(name) {
            None if !may_add => Err(missing(name)),
            field => Ok(field),
        },
        Kind::Array => {
            let length = container.len();
            let index = if name == "-" { Some(length) } else { name.parse().ok().filter(|_| is_index(name)) };
            match index {
                Some(index) if index < length + usize::from(may_add) => Ok(container.items().nth(index)),
                _ => {
                    let message =
                        format!("expected an item of a list of {length}, found `{}`", shorten(name));
                    Err(Error::new(codes::INVALID_VALUE, message).under(name))
                }
            }
        }
        _ => Err(refuse(container, "an object or a list")),
    }
}

/// The distances by which cells move. A distance backwards wraps.
#[derive(Clone, Copy)]
struct Shift {
    /// Bytes of the text.
    text: u32,
    cells: u32,
    /// Bytes of the unescaped strings.
    strings: u32,
}

impl Shift {
    fn new(text: usize, cells: usize, strings: usize) -> Self {
        let [text, cells, strings] = [text, cells, strings].map(|distance| distance as u32);
        Self { text, cells, strings }
    }

    fn apply(self, cell: Cell) -> Cell {
        let (start, end) = match cell.tag {
            Tag::Escaped => (self.strings, self.strings),
            Tag::Array | Tag::Object => (0, self.cells),
            // Their outer bytes stand for the end.
            Tag::Integer | Tag::Float if cell.outer != [0; 2] => (self.text, 0),
            _ => (self.text, self.text),
        };
        Cell { start: cell.start.wrapping_add(start), end: cell.end.wrapping_add(end), ..cell }
    }
}

#[cfg(test)]
mod tests;
