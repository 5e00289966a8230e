//! The line of a value, for error messages. The texts may have errors behind the value.

use alloc::{string::String, vec::Vec};

use adjudicate_core::json::{ReadLimits, unescape_segment};

use super::{end_of_string, is_before_colon};
use crate::lines::line_at;

/// Returns the line of the value at a JSON Pointer, or the line at which the search ended.
pub(super) fn line_of_value(text: &str, path: &str) -> usize {
    let mut search = PointerSearch::new(text, path);
    search.run(1);
    line_at(text.as_bytes(), search.at)
}

/// Returns the line of the second key at a JSON Pointer.
pub(super) fn line_of_second_key(text: &str, path: &str) -> usize {
    let mut search = PointerSearch::new(text, path);
    search.run(2);
    line_at(text.as_bytes(), search.at)
}

/// A container that has not ended yet.
struct OpenContainer {
    /// The index of the current item; `None` in an object.
    index: Option<usize>,
    is_on_path: bool,
}

struct PointerSearch<'t> {
    bytes: &'t [u8],
    at: usize,
    segments: Vec<String>,
    open: Vec<OpenContainer>,
    /// True if the value at the cursor is on the path.
    is_on_path: bool,
    found: usize,
}

impl<'t> PointerSearch<'t> {
    fn new(text: &'t str, path: &str) -> Self {
        let segments = path.split('/').skip(1).map(unescape_segment).collect();
        Self { bytes: text.as_bytes(), at: 0, segments, open: Vec::new(), is_on_path: true, found: 0 }
    }

    /// Moves to the end of the path, for the n-th time.
    fn run(&mut self, times: usize) {
        self.found = usize::from(self.segments.is_empty());
        while self.found < times {
            match self.bytes.get(self.at) {
                None => return,
                Some(b'{') => self.enter(None),
                Some(b'[') => self.enter(Some(0)),
                Some(b'}' | b']') => drop(self.open.pop()),
                Some(b',') => self.next_item(),
                Some(b'"') => {
                    let end = end_of_string(self.bytes, self.at);
                    if is_before_colon(self.bytes, end + 1) {
                        self.key(end);
                    }
                    if self.found < times {
                        self.at = end;
                    }
                }
                Some(_) => {}
            }
            self.at += usize::from(self.found < times);
        }
    }

    fn enter(&mut self, index: Option<usize>) {
        let is_on_path = core::mem::take(&mut self.is_on_path) && self.open.len() < self.segments.len();
        self.open.push(OpenContainer { index, is_on_path });
        self.step(|segment| index.is_some() && segment == "0");
    }

    fn next_item(&mut self) {
        let Some(container) = self.open.last_mut() else { return };
        let Some(index) = &mut container.index else { return };
        *index += 1;
        let index = *index;
        self.step(|segment| segment.parse() == Ok(index));
    }

    fn key(&mut self, end: usize) {
        let key = self.bytes.get(self.at..=end).unwrap_or_default();
        let Ok(key) = adjudicate_core::json::read(key, ReadLimits::ANSWER) else { return };
        self.step(|segment| key.root().as_str() == Some(segment));
    }

    /// Notes whether the next value is on the path, and whether the path ends with it.
    fn step(&mut self, is_segment: impl Fn(&str) -> bool) {
        let depth = self.open.len();
        let is_inside = self.open.last().is_some_and(|container| container.is_on_path);
        let segment = depth.checked_sub(1).and_then(|depth| self.segments.get(depth));
        self.is_on_path = is_inside && segment.is_some_and(|segment| is_segment(segment));
        self.found += usize::from(self.is_on_path && depth == self.segments.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_keys_are_found() {
        let text = "{\"a\": [0,\n{\"b\": \"a,[\",\n\"c/d\": [\n7]}],\n\"e\": 1,\n\"\\u0065\": 2";
        for (path, expected) in
            [("", 1), ("/a", 1), ("/a/1", 1), ("/a/1/b", 2), ("/a/1/c~1d/0", 3), ("/e", 5), ("/z", 6)]
        {
            assert_eq!(line_of_value(text, path), expected, "{path}");
        }
        assert_eq!(line_of_second_key(text, "/e"), 6);
    }
}
