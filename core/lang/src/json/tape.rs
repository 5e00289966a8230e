//! The tape: a checked JSON text as a flat list that borrows from the text.
//!
//! One vector of small cells in document order. The cell of a container has the index after its last descendant, so skipping a
//! value is one addition. Strings without escapes are slices of the text; the others are unescaped into one buffer. There are no
//! other allocations.

use alloc::{string::String, vec::Vec};

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
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

/// A value or a name in compact form.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub tag: Tag,
    /// Scalars: the start of the text. Containers: the number of items or fields.
    pub start: u32,
    /// Scalars: the end of the text. Containers: the index of the first cell after the last descendant. Numbers with a
    /// [`Glance`](super::glance::Glance): its integer.
    pub end: u32,
    /// Names of fields: their outer bytes, which distinguish most names without reading the text. Numbers with a glance: the length
    /// of the text, and the rest of the glance.
    pub outer: [u8; 2],
}

impl Cell {
    /// Returns the cell of a scalar, or of a container that is still open. All positions have 32 bits.
    #[inline]
    pub(super) const fn new(tag: Tag, start: usize, end: usize) -> Self {
        Self { tag, start: start as u32, end: end as u32, outer: [0; 2] }
    }

    /// Returns whether the value is a list or an object.
    #[inline]
    pub(super) const fn is_container(&self) -> bool {
        matches!(self.tag, Tag::Array | Tag::Object)
    }
}

/// Returns the first and the last byte of a name.
#[inline]
pub(super) fn outer(name: &[u8]) -> [u8; 2] {
    [name.first(), name.last()].map(|byte| byte.copied().unwrap_or_default())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    Null,
    True,
    False,
    Integer,
    Float,
    /// A string that is a slice of the text.
    Plain,
    /// A string that was unescaped into the buffer.
    Escaped,
    Array,
    Object,
}

impl Tag {
    /// Returns whether the value is a slice of the text.
    #[inline]
    const fn is_text(self) -> bool {
        matches!(self, Self::Plain | Self::Integer | Self::Float)
    }
}

/// A checked JSON text.
#[derive(Debug)]
pub struct Tape<'a> {
    pub(super) text: &'a str,
    pub(super) unescaped: String,
    pub(super) cells: Vec<Cell>,
}

impl<'a> Tape<'a> {
    /// Returns the value of the document.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        self.node(0)
    }

    /// Returns the text that the tape was read from.
    #[must_use]
    pub const fn text(&self) -> &'a str {
        self.text
    }

    pub(super) const fn node(&self, at: usize) -> Node<'_> {
        Node { tape: self, at }
    }

    #[inline]
    pub(super) fn cell(&self, at: usize) -> Cell {
        self.cells.get(at).copied().unwrap_or(Cell { tag: Tag::Null, start: 0, end: 0, outer: [0; 2] })
    }

    /// Returns the bytes of a name.
    #[inline]
    pub(super) fn name_bytes(&self, cell: Cell) -> &[u8] {
        let mut source = self.text;
        if cell.tag == Tag::Escaped {
            unlikely();
            source = &self.unescaped;
        }
        source.as_bytes().get(cell.start as usize..cell.end as usize).unwrap_or_default()
    }

    /// Returns the index of the cell after the value at `at`.
    #[inline]
    pub(super) fn next(&self, at: usize) -> usize {
        let cell = self.cell(at);
        if cell.is_container() { cell.end as usize } else { at + 1 }
    }
}

/// One value of a tape.
#[derive(Clone, Copy, Debug)]
pub struct Node<'t> {
    pub(super) tape: &'t Tape<'t>,
    pub(super) at: usize,
}

impl<'t> Node<'t> {
    /// Returns a number for the kind of value, in the order of the tape's tags: null, true, false, integer, other number, plain
    /// string, string with escapes, list, object.
    #[inline]
    pub(crate) fn tag(self) -> usize {
        self.tape.cell(self.at).tag as usize
    }

    /// Returns the names and values of an object's fields, both as nodes, because some callers do not read the text of names.
    #[inline]
    pub(crate) fn pairs(self) -> impl Iterator<Item = (Self, Self)> {
        let Self { tape, at } = self;
        let cell = tape.cell(at);
        let left = if cell.tag == Tag::Object { cell.start } else { 0 };
        let mut at = at + 1;
        (0..left).map(move |_| {
            let name = Self { tape, at };
            at = tape.next(at + 1);
            (name, Self { tape, at: name.at + 1 })
        })
    }

    /// Returns the bytes of a string, a name, or a number.
    #[inline]
    pub(crate) fn bytes(self) -> &'t [u8] {
        let cell = self.tape.cell(self.at);
        self.tape.name_bytes(Cell { end: cell.text_end(), ..cell })
    }

    /// Returns the bytes of a name.
    #[inline]
    pub(crate) fn name_bytes(self) -> &'t [u8] {
        self.tape.name_bytes(self.tape.cell(self.at))
    }

    /// Returns the length of a string or a name in bytes.
    #[inline]
    pub(crate) fn bytes_len(self) -> usize {
        let cell = self.tape.cell(self.at);
        cell.end.wrapping_sub(cell.start) as usize
    }

    /// Returns the text of a name.
    pub(crate) fn name(self) -> &'t str {
        self.as_str().unwrap_or_default()
    }

    /// Returns the kind of the value.
    #[inline]
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

    /// Returns the string, unescaped.
    #[inline(never)]
    #[must_use]
    pub fn as_str(self) -> Option<&'t str> {
        let cell = self.tape.cell(self.at);
        let source = match cell.tag {
            Tag::Plain => self.tape.text,
            Tag::Escaped => &self.tape.unescaped,
            _ => return None,
        };
        source.get(cell.start as usize..cell.end as usize)
    }

    /// Returns the text of a number.
    #[inline]
    #[must_use]
    pub fn as_number(self) -> Option<&'t str> {
        let cell = self.tape.cell(self.at);
        let text = self.tape.text.get(cell.start as usize..cell.text_end() as usize);
        text.filter(|_| matches!(cell.tag, Tag::Integer | Tag::Float))
    }

    /// Returns an integer of at most nine digits, which needs no check.
    #[inline]
    pub(crate) fn short_integer(self) -> Option<i64> {
        let glance = self.glance().filter(|_| self.kind() == Kind::Integer)?;
        Some(i64::from(glance.floor))
    }

    /// Returns the number of items or fields of a container, or 0 for other values.
    #[inline]
    #[must_use]
    pub fn len(self) -> usize {
        let cell = self.tape.cell(self.at);
        if matches!(cell.tag, Tag::Array | Tag::Object) { cell.start as usize } else { 0 }
    }

    /// Returns the number of cells of the value: one for itself, plus those of its items, or of its names and values.
    pub(crate) fn cells(self) -> usize {
        self.tape.next(self.at) - self.at
    }

    /// Returns whether there are no items or fields.
    #[inline]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the items of a list in order, and none for other values.
    #[inline]
    #[must_use]
    pub fn items(self) -> Items<'t> {
        let left = if self.kind() == Kind::Array { self.len() } else { 0 };
        Items { tape: self.tape, at: self.at + 1, left }
    }

    /// Returns the fields of an object in document order, and none for other values.
    #[inline]
    #[must_use]
    pub fn members(self) -> Members<'t> {
        let left = if self.kind() == Kind::Object { self.len() } else { 0 };
        Members(Items { tape: self.tape, at: self.at + 1, left })
    }

    /// Returns the field of this name, if the value is an object that has it.
    #[must_use]
    pub fn member(self, name: &str) -> Option<Self> {
        let cell = self.tape.cell(self.at);
        let mut left = if cell.tag == Tag::Object { cell.start } else { 0 };
        let mut at = self.at + 1;
        let outer = outer(name.as_bytes());
        while left > 0 {
            let key = self.tape.cell(at);
            if (key.end - key.start) as usize == name.len()
                && key.outer == outer
                && self.tape.name_bytes(key) == name.as_bytes()
            {
                return Some(Self { tape: self.tape, at: at + 1 });
            }
            at += 2;
            let value = self.tape.cell(at - 1);
            if matches!(value.tag, Tag::Array | Tag::Object) {
                // A branch is predictable. With a conditional move, each step would wait for the one before.
                unlikely();
                at = value.end as usize;
            }
            left -= 1;
        }
        None
    }
}

/// Marks a branch as unlikely for the compiler.
#[cold]
const fn unlikely() {}

impl Node<'_> {
    /// Returns the index among the names and values of the document. It distinguishes equal values, and grows in document order.
    #[must_use]
    pub const fn position(self) -> usize {
        self.at
    }

    /// Returns the value at a position of the same document.
    pub(crate) const fn at_position(self, position: usize) -> Self {
        Self { tape: self.tape, at: position }
    }

    /// Returns the number of names and values within this value, including itself.
    #[must_use]
    pub fn extent(self) -> usize {
        self.tape.next(self.at) - self.at
    }

    /// Returns the number of bytes of text within this value, without a visit to each part.
    pub(crate) fn text_extent(self) -> usize {
        let (from, to) = (self.at, self.tape.next(self.at));
        let has_text = |at: &usize| self.tape.cell(*at).tag.is_text();
        // All text between the first and the last slice belongs to the same value.
        let first = (from..to).find(has_text).map_or(0, |at| self.tape.cell(at).start);
        let last = (from..to).rev().find(has_text).map_or(0, |at| self.tape.cell(at).text_end());
        (last - first) as usize
            + if self.tape.unescaped.is_empty() { 0 } else { self.unescaped_extent(from, to) }
    }

    fn unescaped_extent(self, from: usize, to: usize) -> usize {
        let cells = self.tape.cells.get(from..to).unwrap_or_default().iter();
        cells.filter(|cell| cell.tag == Tag::Escaped).map(|cell| (cell.end - cell.start) as usize).sum()
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

    #[inline]
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

/// Iterator over the fields of an object.
#[derive(Clone, Debug)]
pub struct Members<'t>(Items<'t>);

impl<'t> Iterator for Members<'t> {
    type Item = (&'t str, Node<'t>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let Items { tape, at, left } = &mut self.0;
        *left = left.checked_sub(1)?;
        let name = Node { tape, at: *at };
        *at = tape.next(*at + 1);
        Some((name.name(), Node { at: name.at + 1, ..name }))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}
