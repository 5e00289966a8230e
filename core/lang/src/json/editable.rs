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
    reader::{Limits, MAX_DEPTH, read, read_nested},
    tape::{Cell, Kind, Node, Tag, Tape, outer},
};
use crate::{codes, error::Error};

/// A checked JSON text whose values can be set and removed.
///
/// ```
/// use adjudicate_lang::json::{EditableText, Limits};
/// let mut text = EditableText::read(br#"{"a": [1, 2]}"#, Limits::DOCUMENT)?;
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
    limits: Limits,
}

impl EditableText {
    /// Checks a JSON text.
    ///
    /// # Errors
    ///
    /// Those of [`read`].
    pub fn read(text: &[u8], limits: Limits) -> Result<Self, Error> {
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

    /// Sets the value at a JSON Pointer (RFC 6901): replaces a value, adds a field to the end of an object, or, with the index `-` or
    /// the number of items, appends to a list. The empty pointer replaces the whole text. After an error the text is as before.
    ///
    /// # Errors
    ///
    /// - [`codes::INVALID_VALUE`] for a text that is not a pointer.
    /// - [`codes::MISSING_FIELD`] and [`codes::INVALID_VALUE`] for a pointer into a value that does not exist. The path is that of the
    ///   first missing part.
    /// - Those of [`read`] for the value. Their paths begin with the pointer.
    /// - [`codes::LIMIT_EXCEEDED`] if the changed text is over the size limit.
    pub fn set(&mut self, pointer: &str, value: &[u8]) -> Result<(), Error> {
        if pointer.is_empty() {
            *self = Self::read(value, self.limits)?;
            return Ok(());
        }
        let change = self.with_tape(|tape| {
            let place = Place::find(tape.root(), pointer, true)?;
            Ok(match place.value {
                Some(at) => Change::replace(tape, place, at),
                None => Change::add(tape, place),
            })
        });
        let change: Change = change?;
        let depth_limit = change.place.depth_limit(self.limits.documents);
        let value = read_nested(value, Limits { documents: &[], ..self.limits }, depth_limit)
            .map_err(|error| error.below(&change.place.pointer))?;
        self.splice(change, Some(&value))
    }

    /// Removes the field or the item at a JSON Pointer. After an error the text is as before.
    ///
    /// # Errors
    ///
    /// Those of [`set`](Self::set) for the pointer. [`codes::INVALID_VALUE`] for the empty pointer.
    pub fn remove(&mut self, pointer: &str) -> Result<(), Error> {
        if pointer.is_empty() {
            return Err(Error::new(codes::INVALID_VALUE, "the whole document cannot be removed"));
        }
        let change =
            self.with_tape(|tape| Ok(Change::remove(tape, Place::find(tape.root(), pointer, false)?)));
        self.splice(change?, None)
    }

    /// Makes a change. `value` takes the place of the replaced range.
    fn splice(&mut self, change: Change, value: Option<&Tape<'_>>) -> Result<(), Error> {
        let Change { place, text, cells, prefix, name, count } = change;
        let mut inserted = prefix;
        let value_start = text.start + inserted.len();
        inserted.push_str(value.map_or("", |value| value.text));
        self.limits.check_length(self.text.len() - text.len() + inserted.len())?;

        self.forget_strings(cells.clone());
        let mut new_cells = Vec::with_capacity(value.map_or(0, |value| value.cells.len()) + 1);
        if let Some(name) = name {
            new_cells.push(name.moved(text.start, 0, self.unescaped.len()));
            if name.tag == Tag::Escaped {
                self.unescaped.push_str(&place.name);
            }
        }
        if let Some(value) = value {
            let (first, strings) = (cells.start + new_cells.len(), self.unescaped.len());
            new_cells.extend(value.cells.iter().map(|cell| cell.moved(value_start, first, strings)));
            self.unescaped.push_str(&value.unescaped);
        }

        let by_text = inserted.len().wrapping_sub(text.len());
        let by_cells = new_cells.len().wrapping_sub(cells.len());
        for cell in self.cells.get_mut(cells.end..).unwrap_or_default() {
            *cell = cell.moved(by_text, by_cells, 0);
        }
        for at in &place.containers {
            if let Some(container) = self.cells.get_mut(*at) {
                *container = container.moved(0, by_cells, 0);
            }
        }
        if let Some(container) = place.containers.last().and_then(|at| self.cells.get_mut(*at)) {
            container.start = container.start.wrapping_add_signed(count);
        }
        self.cells.splice(cells, new_cells);
        self.text.replace_range(text, &inserted);

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

/// The place that a pointer leads to.
struct Place {
    /// The containers around the place, the outermost first.
    containers: Vec<usize>,
    /// The value there. `None` is the place behind the last value of a container.
    value: Option<usize>,
    /// The last segment of the pointer.
    name: String,
    /// The pointer, with the index of an item that is added.
    pointer: String,
}

impl Place {
    /// Finds the place of a pointer that is not empty. If `may_add`, it need not have a value yet.
    fn find(root: Node<'_>, pointer: &str, may_add: bool) -> Result<Self, Error> {
        let Some(segments) = pointer.strip_prefix('/').filter(|_| is_pointer(pointer)) else {
            let message = format!("expected a JSON Pointer, found `{}`", shorten(pointer));
            return Err(Error::new(codes::INVALID_VALUE, message));
        };
        let mut containers = Vec::new();
        let mut path = String::new();
        let mut segments = segments.split('/').peekable();
        let mut here = Some(root);
        let mut name = String::new();
        while let (Some(container), Some(segment)) = (here, segments.next()) {
            name = unescape_segment(segment);
            let may_add = may_add && segments.peek().is_none();
            here = child(container, &name, may_add).map_err(|error| error.below(&path))?;
            containers.push(container.position());
            match (here, container.kind()) {
                (None, Kind::Array) => path = Pointer::new(&path).index(container.len()).into_string(),
                _ => push_segment(&mut path, &name),
            }
        }
        Ok(Self { containers, value: here.map(Node::position), name, pointer: path })
    }

    /// Returns the number of containers that a value at this place may nest.
    fn depth_limit(&self, documents: &[&str]) -> usize {
        let is_in_document = documents.iter().any(|name| behind_field(&self.pointer, name).is_some());
        MAX_DEPTH + usize::from(is_in_document) - self.containers.len()
    }

    /// Returns the innermost container.
    fn container(&self) -> usize {
        self.containers.last().copied().unwrap_or_default()
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

/// A range of the text and of the cells that is replaced.
struct Change {
    place: Place,
    text: Range<usize>,
    cells: Range<usize>,
    /// The new text before the new value: a comma, and the name of a field.
    prefix: String,
    /// The cell of that name. Positions count from the prefix.
    name: Option<Cell>,
    /// The difference in the number of fields or items.
    count: i32,
}

impl Change {
    /// Replaces the value at `at`.
    fn replace(tape: &Tape<'_>, place: Place, at: usize) -> Self {
        let (text, cells) = (tape.range(at), at..tape.next(at));
        Self { place, text, cells, prefix: String::new(), name: None, count: 0 }
    }

    /// Adds a field or an item behind the last one.
    fn add(tape: &Tape<'_>, place: Place) -> Self {
        let container = tape.node(place.container());
        let end = tape.next(container.position());
        let before = tape.text.get(..tape.range(container.position()).end - 1).unwrap_or_default();
        let position = before.trim_end_matches([' ', '\n', '\r', '\t']).len();
        let mut prefix = String::from(if container.is_empty() { "" } else { "," });
        let name = (container.kind() == Kind::Object).then(|| {
            let start = prefix.len();
            write_string(&place.name, &mut prefix);
            let end = prefix.len();
            prefix.push(':');
            let length = place.name.len();
            let cell = match end - start == length + 2 {
                true => Cell::new(Tag::Plain, start + 1, end - 1),
                false => Cell::new(Tag::Escaped, 0, length),
            };
            Cell { outer: outer(place.name.as_bytes()), ..cell }
        });
        Self { place, text: position..position, cells: end..end, prefix, name, count: 1 }
    }

    /// Removes a field or an item, and one comma.
    fn remove(tape: &Tape<'_>, place: Place) -> Self {
        let container = tape.node(place.container());
        let value = place.value.unwrap_or_default();
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
        Self { place, text, cells: first..behind, prefix: String::new(), name: None, count: -1 }
    }
}

impl Cell {
    /// Returns the cell for another position: of the text, of the cells, or of the unescaped strings.
    fn moved(self, text: usize, cells: usize, strings: usize) -> Self {
        let (start, end) = match self.tag {
            Tag::Array | Tag::Object => (0, cells),
            Tag::Escaped => (strings, strings),
            Tag::Integer | Tag::Float if self.has_glance() => (text, 0),
            _ => (text, text),
        };
        // Positions have 32 bits, and a distance backwards wraps.
        let [start, end] = [start as u32, end as u32];
        Self { start: self.start.wrapping_add(start), end: self.end.wrapping_add(end), ..self }
    }
}

#[cfg(test)]
mod tests;
