//! The tape: a JSON text checked once and laid out flat, borrowing from the text.
//!
//! One vector of small nodes in document order; a container's node knows where its last descendant ends, so
//! skipping a value is one addition. Strings without escapes are slices of the text, the others are unescaped
//! into one side buffer. Nothing else is allocated.

use alloc::{string::String, vec::Vec};

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
pub(super) struct Cell {
    pub tag: Tag,
    /// Scalars: where the text begins. Containers: how many items or members there are.
    pub start: u32,
    /// Scalars: where the text ends. Containers: the index of the first node after the last descendant. Numbers that have a
    /// [`Glance`](super::glance::Glance): the integer of that.
    pub end: u32,
    /// Names of members: their outer bytes, by which most others are told apart without looking at the text. Numbers that have
    /// a glance: the length of the text, and what they are beyond the integer.
    pub outer: [u8; 2],
}

/// The first and the last byte of a name.
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
    /// A string that was unescaped into the side buffer.
    Escaped,
    Array,
    Object,
}

impl Tag {
    /// Whether it is a slice of the text.
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

    #[inline]
    pub(super) fn cell(&self, at: usize) -> Cell {
        self.cells.get(at).copied().unwrap_or(Cell { tag: Tag::Null, start: 0, end: 0, outer: [0; 2] })
    }

    /// The string or number at a cell; empty for anything else.
    #[inline]
    pub(super) fn string_at(&self, at: usize) -> &str {
        let cell = self.cell(at);
        let extent = cell.start as usize..cell.text_end() as usize;
        match cell.tag {
            Tag::Plain | Tag::Integer | Tag::Float => self.text.get(extent).unwrap_or_default(),
            Tag::Escaped => self.unescaped.get(extent).unwrap_or_default(),
            _ => "",
        }
    }

    /// The bytes of the string at a cell.
    #[inline]
    pub(super) fn string_bytes(&self, at: usize) -> &[u8] {
        let cell = self.cell(at);
        let source = if cell.tag == Tag::Escaped { &self.unescaped } else { self.text };
        source.as_bytes().get(cell.start as usize..cell.text_end() as usize).unwrap_or_default()
    }

    /// The cell after the value at `at`.
    #[inline]
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
    pub(super) tape: &'t Tape<'t>,
    pub(super) at: usize,
}

impl<'t> Node<'t> {
    /// A small number for what the value is, in the order of the tape's tags: null, true, false, integer, other number,
    /// string as it is written, string with escapes, list, object.
    #[inline]
    pub(crate) fn tag(self) -> usize {
        self.tape.cell(self.at).tag as usize
    }

    /// The names and values of an object's members, both as values: a name's text is looked at by those who want it.
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

    /// The bytes of a string, a name, or a number as it is written.
    #[inline]
    pub(crate) fn bytes(self) -> &'t [u8] {
        self.tape.string_bytes(self.at)
    }

    /// How many bytes a string or a name has.
    #[inline]
    pub(crate) fn bytes_len(self) -> usize {
        let cell = self.tape.cell(self.at);
        cell.end.wrapping_sub(cell.start) as usize
    }

    /// The text of a name.
    pub(crate) fn name(self) -> &'t str {
        self.tape.string_at(self.at)
    }

    /// What the value is.
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

    /// The string, unescaped, if the value is one.
    #[inline]
    #[must_use]
    pub fn as_str(self) -> Option<&'t str> {
        (self.kind() == Kind::String).then(|| self.tape.string_at(self.at))
    }

    /// The number as it is written, if the value is one.
    #[inline]
    #[must_use]
    pub fn as_number(self) -> Option<&'t str> {
        matches!(self.kind(), Kind::Integer | Kind::Float).then(|| self.tape.string_at(self.at))
    }

    /// The integer, if the value is one of so few digits that it needs no check.
    #[inline]
    pub(crate) fn short_integer(self) -> Option<i64> {
        let glance = self.glance().filter(|_| self.kind() == Kind::Integer)?;
        Some(i64::from(glance.floor))
    }

    /// How many items or members a container has; 0 for anything else.
    #[inline]
    #[must_use]
    pub fn len(self) -> usize {
        let cell = self.tape.cell(self.at);
        if matches!(cell.tag, Tag::Array | Tag::Object) { cell.start as usize } else { 0 }
    }

    /// Whether there are no items or members.
    #[inline]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The items of a list, in order; none for anything else.
    #[inline]
    #[must_use]
    pub fn items(self) -> Items<'t> {
        let left = if self.kind() == Kind::Array { self.len() } else { 0 };
        Items { tape: self.tape, at: self.at + 1, left }
    }

    /// The members of an object, in document order; none for anything else.
    #[inline]
    #[must_use]
    pub fn members(self) -> Members<'t> {
        let left = if self.kind() == Kind::Object { self.len() } else { 0 };
        Members(Items { tape: self.tape, at: self.at + 1, left })
    }

    /// The member of that name, if the value is an object that has it.
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
                && self.tape.string_bytes(at) == name.as_bytes()
            {
                return Some(Self { tape: self.tape, at: at + 1 });
            }
            at += 2;
            let value = self.tape.cell(at - 1);
            if matches!(value.tag, Tag::Array | Tag::Object) {
                // A jump that can be foreseen: a selection would make each step wait for the one before.
                unlikely();
                at = value.end as usize;
            }
            left -= 1;
        }
        None
    }
}

/// Tells the compiler that a branch is seldom taken.
#[cold]
const fn unlikely() {}

impl Node<'_> {
    /// Where it stands among the names and values of its document: what tells apart two values that look the same.
    pub(crate) const fn position(self) -> usize {
        self.at
    }

    /// What stands at a position of the same document.
    pub(crate) const fn at_position(self, position: usize) -> Self {
        Self { tape: self.tape, at: position }
    }

    /// How many names and values it consists of, itself counted.
    #[must_use]
    pub fn extent(self) -> usize {
        self.tape.next(self.at) - self.at
    }

    /// How many bytes of text the names and values have that it consists of, without looking at each of them.
    pub(crate) fn text_extent(self) -> usize {
        let (from, to) = (self.at, self.tape.next(self.at));
        let has_text = |at: &usize| self.tape.cell(*at).tag.is_text();
        // What lies between the first and the last text is of the same value.
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

/// Iterator over the members of an object.
#[derive(Clone, Debug)]
pub struct Members<'t>(Items<'t>);

impl<'t> Iterator for Members<'t> {
    type Item = (&'t str, Node<'t>);

    #[inline]
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
