//! Numbers of schemas, and ranges of the lists and of the text of a compiled schema.

/// The number of a schema within a compiled schema. [`Schema::ROOT`](super::Schema::ROOT) is the whole.
pub type SchemaId = u32;

/// No schema.
pub(super) const NONE: SchemaId = SchemaId::MAX;

/// A range of entries of one of the lists.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ListRange {
    pub first: u32,
    pub count: u32,
}

impl ListRange {
    /// Returns the entries in `list`.
    pub(super) fn entries<T>(self, list: &[T]) -> &[T] {
        list.get(self.first as usize..(self.first + self.count) as usize).unwrap_or_default()
    }
}

/// A text: a byte range of [`Schema::text`](super::Schema).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Text {
    pub start: u32,
    pub end: u32,
}

/// Returns whether this is a schema, and not [`NONE`].
pub(super) const fn is_some(id: SchemaId) -> bool {
    id != NONE
}

/// Narrows an index to 32 bits. Documents are far below 4 GiB.
pub(super) fn narrow(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// Returns the range of entries pushed since the list had `first` entries.
pub(super) fn range_since<T>(list: &[T], first: usize) -> ListRange {
    ListRange { first: narrow(first), count: narrow(list.len() - first) }
}
