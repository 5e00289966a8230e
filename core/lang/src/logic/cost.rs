//! The costs of evaluation in steps, relative to comparing one byte.

/// The cost of one part, or of one of many values.
pub(super) const PART: usize = 8;
/// The cost of an item of a built list. High, because the budget also bounds memory.
pub(super) const BUILT_ITEM: usize = 64;
/// The cost of a byte of a built text.
pub(super) const BUILT_BYTE: usize = 4;
