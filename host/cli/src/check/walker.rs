//! Following a document through its text: which JSON Pointer is where. Knows no format.

use std::collections::{BTreeMap, BTreeSet};

use adjudicate_core::json::{MAX_DEPTH, push_segment};

use super::place::{Extent, Place};

/// Where the parts of a document are that somebody asks for.
#[derive(Debug)]
pub(super) struct Walker {
    wanted: BTreeSet<String>,
    found: BTreeMap<String, Found>,
    path: String,
    open: Vec<Open>,
}

/// Where a value is, and the key that it has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    pub(super) key: Option<Extent>,
    pub(super) value: Option<Extent>,
}

/// A container that has not ended yet.
#[derive(Debug)]
struct Open {
    start: Place,
    /// How many items there are; none for an object.
    items: Option<usize>,
    /// Of an object, whether a value is due.
    has_key: bool,
    /// How long the container's own path is.
    path: usize,
}

impl Walker {
    /// Looks out for these pointers, and for what they are in.
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

    /// Whether the next scalar is a key.
    pub(super) fn awaits_key(&self) -> bool {
        self.open.last().is_some_and(|open| open.items.is_none() && !open.has_key)
    }

    /// Whether the text nests deeper than any document that is read, so that nothing of interest follows.
    pub(super) const fn is_too_deep(&self) -> bool {
        self.open.len() > MAX_DEPTH
    }

    /// A key.
    pub(super) fn key(&mut self, key: &str, extent: Extent) {
        let Some(open) = self.open.last_mut() else { return };
        open.has_key = true;
        self.path.truncate(open.path);
        push_segment(&mut self.path, key);
        if self.wanted.contains(&self.path) {
            // The latest of that name: it is the one that is there twice.
            self.found.insert(self.path.clone(), Found { key: Some(extent), value: None });
        }
    }

    /// A value that holds no others.
    pub(super) fn scalar(&mut self, extent: Extent) {
        self.begin_value();
        self.end_value(extent);
    }

    /// A list or object begins.
    pub(super) fn open(&mut self, is_list: bool, start: Place) {
        self.begin_value();
        // As far as is known yet: the text may break off.
        self.record(start.alone());
        let path = self.path.len();
        self.open.push(Open { start, items: is_list.then_some(0), has_key: false, path });
    }

    /// The latest list or object ends.
    pub(super) fn close(&mut self, end: Place) {
        let Some(open) = self.open.pop() else { return };
        self.path.truncate(open.path);
        self.end_value(Extent { start: open.start, end });
    }

    /// Where a pointer leads, or else the nearest thing that it would be in, and whether it leads there.
    pub(super) fn find(&self, pointer: &str) -> Option<(Found, bool)> {
        let mut part = pointer;
        loop {
            if let Some(found) = self.found.get(part) {
                return Some((*found, part == pointer));
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

    fn end_value(&mut self, extent: Extent) {
        self.record(extent);
        if let Some(open) = self.open.last_mut() {
            open.has_key = false;
        }
    }

    fn record(&mut self, extent: Extent) {
        if self.wanted.contains(&self.path) {
            self.found.entry(self.path.clone()).or_default().value = Some(extent);
        }
    }
}
