//! Maps JSON Pointers to parts of a text, from the events of a parser of any format.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use adjudicate_core::json::{MAX_DEPTH, push_segment};

/// The positions of the requested parts of a document.
#[derive(Debug)]
pub(super) struct Walker {
    wanted: BTreeSet<String>,
    found: BTreeMap<String, FoundPart>,
    path: String,
    open: Vec<OpenContainer>,
}

/// The extents of a value and of its key.
#[derive(Clone, Debug, Default)]
pub(super) struct FoundPart {
    pub(super) key: Option<Range<usize>>,
    pub(super) value: Option<Range<usize>>,
}

/// A container that has not ended yet.
#[derive(Debug)]
struct OpenContainer {
    start: usize,
    /// The number of items so far; `None` for an object.
    items: Option<usize>,
    /// True if the object has a key without its value.
    has_key: bool,
    /// The length of the container's own path.
    path: usize,
}

impl Walker {
    /// Creates a walker that locates these pointers and all containers of their parts.
    pub(super) fn new<'p>(pointers: impl Iterator<Item = &'p str>) -> Self {
        let mut wanted = BTreeSet::new();
        for pointer in pointers {
            let mut part = pointer;
            while wanted.insert(part.to_owned()) {
                part = part.rsplit_once('/').map_or("", |(parent, _)| parent);
            }
        }
        Self { wanted, found: BTreeMap::new(), path: String::new(), open: Vec::new() }
    }

    /// Returns true if the next scalar is a key.
    pub(super) fn awaits_key(&self) -> bool {
        self.open.last().is_some_and(|open| open.items.is_none() && !open.has_key)
    }

    /// Returns true if the text nests deeper than any valid document.
    pub(super) const fn is_too_deep(&self) -> bool {
        self.open.len() > MAX_DEPTH
    }

    /// Handles a key.
    pub(super) fn key(&mut self, key: &str, extent: Range<usize>) {
        let Some(open) = self.open.last_mut() else { return };
        open.has_key = true;
        self.path.truncate(open.path);
        push_segment(&mut self.path, key);
        if self.wanted.contains(&self.path) {
            // A later key with the same name replaces the earlier one: errors about duplicates mean the later one.
            self.found.insert(self.path.clone(), FoundPart { key: Some(extent), value: None });
        }
    }

    /// Handles a scalar, or an alias.
    pub(super) fn scalar(&mut self, extent: Range<usize>) {
        self.begin_value();
        self.end_value(extent);
    }

    /// Handles the beginning of a list or object.
    pub(super) fn open(&mut self, is_list: bool, start: usize) {
        self.begin_value();
        // The text may end before the container does, so the beginning is recorded now.
        self.record(start..start + 1);
        let path = self.path.len();
        self.open.push(OpenContainer { start, items: is_list.then_some(0), has_key: false, path });
    }

    /// Handles the end of the innermost list or object.
    pub(super) fn close(&mut self, end: usize) {
        let Some(open) = self.open.pop() else { return };
        self.path.truncate(open.path);
        self.end_value(open.start..end);
    }

    /// Returns the part at a pointer, or the nearest part that contains it, and whether the pointer itself was found.
    pub(super) fn find(&self, pointer: &str) -> Option<(FoundPart, bool)> {
        let mut part = pointer;
        loop {
            if let Some(found) = self.found.get(part) {
                return Some((found.clone(), part == pointer));
            }
            part = part.rsplit_once('/')?.0;
        }
    }

    fn begin_value(&mut self) {
        if let Some(open) = self.open.last_mut()
            && let Some(items) = &mut open.items
        {
            self.path.truncate(open.path);
            push_segment(&mut self.path, &items.to_string());
            *items += 1;
        }
    }

    fn end_value(&mut self, extent: Range<usize>) {
        self.record(extent);
        if let Some(open) = self.open.last_mut() {
            open.has_key = false;
        }
    }

    fn record(&mut self, extent: Range<usize>) {
        if self.wanted.contains(&self.path) {
            self.found.entry(self.path.clone()).or_default().value = Some(extent);
        }
    }
}
