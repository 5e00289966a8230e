//! Errors in a schema, of which the first in document order is reported.
//!
//! The compiler works family by family and level by level, so it can find a later error first. After an error, it reads only the
//! part of the document before it.

use crate::{error::Error, json::Node};

/// The first error so far.
#[derive(Default)]
pub(super) struct SchemaErrors {
    first: Option<PlacedError>,
    /// True if some names are unknown because of errors. Then references are not resolved.
    pub hide_names: bool,
}

struct PlacedError {
    /// The index of the document and the position within it.
    place: (u32, usize),
    error: Error,
}

impl SchemaErrors {
    /// Returns the first error.
    pub(super) fn into_first(self) -> Result<(), Error> {
        self.first.map_or(Ok(()), |fault| Err(fault.error))
    }

    /// Records an error at a place if it comes before all others. Returns whether it does.
    pub(super) fn note(&mut self, place: (u32, usize), error: Error) -> bool {
        let is_first = self.first.as_ref().is_none_or(|fault| place < fault.place);
        if is_first {
            self.first = Some(PlacedError { place, error });
        }
        is_first
    }

    /// Returns whether a value ends before the first error.
    pub(super) fn leave(&self, source: u32, value: Node<'_>) -> bool {
        self.first.as_ref().is_none_or(|fault| (source, value.position() + value.extent() - 1) < fault.place)
    }
}
