//! The positions of values in the text of a tape.
//!
//! A tape has the positions of scalars without escapes. The others follow from the nearest of these.

use core::ops::Range;

use super::{
    lexer::{plain_run, space_run},
    tape::{Cell, Tag, Tape},
};

impl Tape<'_> {
    /// Returns the range of the value or the name at `at` in the text.
    pub(super) fn range(&self, at: usize) -> Range<usize> {
        let cell = self.cell(at);
        if let Some(range) = known_range(cell) {
            return range;
        }
        let start = self.start(at);
        if cell.tag == Tag::Escaped {
            return start..self.string_end(start);
        }
        let last = cell.end as usize - 1;
        let mut end =
            if self.cell(last).is_container() { self.start(last) + 1 } else { self.range(last).end };
        // Every container that ends with the last value has its own bracket.
        let inside = self.cells.get(at..=last).unwrap_or_default().iter();
        for _ in inside.filter(|inner| inner.is_container() && inner.end == cell.end) {
            end = space_run(self.text.as_bytes(), end) + 1;
        }
        start..end
    }

    /// Returns the position of the first byte of the value or the name at `at`.
    pub(super) fn start(&self, at: usize) -> usize {
        if let Some(range) = known_range(self.cell(at)) {
            return range.start;
        }
        let known = (0..at).rev().find_map(|before| Some((before + 1, known_range(self.cell(before))?.end)));
        let (from, mut end) = known.unwrap_or_default();
        for before in from..at {
            let start = self.next_token(end);
            end = if self.cell(before).is_container() { start + 1 } else { self.string_end(start) };
        }
        self.next_token(end)
    }

    /// Skips white space, commas, colons, and ends of containers.
    fn next_token(&self, from: usize) -> usize {
        let rest = self.text.as_bytes().get(from..).unwrap_or_default();
        let is_between =
            |byte: &&u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b',' | b':' | b']' | b'}');
        from + rest.iter().take_while(is_between).count()
    }

    /// Returns the position after the string that begins at `start`.
    fn string_end(&self, start: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = plain_run(bytes, start + 1);
        while bytes.get(at) == Some(&b'\\') {
            at = plain_run(bytes, at + 2);
        }
        at + 1
    }
}

/// Returns the range of a scalar in the text, if its cell has the range.
fn known_range(cell: Cell) -> Option<Range<usize>> {
    let (start, end) = (cell.start as usize, cell.text_end() as usize);
    match cell.tag {
        Tag::Plain => Some(start - 1..end + 1),
        Tag::Escaped | Tag::Array | Tag::Object => None,
        _ => Some(start..end),
    }
}
