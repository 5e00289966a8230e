//! Objects around entries and differences, as the command prints them and the HTTP interface returns them.

use adjudicate_core::document::Describe;
use serde::Serialize;

use super::{difference::ShadowDifference, state::SlotEntry};

/// The history of a slot.
#[derive(Clone, Debug, PartialEq, Describe, Serialize)]
pub struct History {
    /// The entries, the latest first.
    pub history: Vec<SlotEntry>,
}

/// A deleted slot.
#[derive(Clone, Debug, PartialEq, Describe, Serialize)]
pub struct DeletedSlot {
    /// The last entry of the slot.
    pub deleted: SlotEntry,
}

/// The differences between the answers of a slot and of its shadow.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
pub struct DifferenceList {
    /// The differences, the latest first.
    pub differences: Vec<ShadowDifference>,
}
