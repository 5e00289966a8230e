//! The reason of a change.

use adjudicate_core::Error;

use super::state::SlotEntry;
use crate::codes;

/// The reason of a change, and the entry that the caller expects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeReason {
    /// The note for the history.
    pub note: String,
    /// The entry that the caller expects the slot to be in. If the slot is in another one, the change fails.
    pub expected: Option<i64>,
}

impl ChangeReason {
    /// The longest note, in bytes.
    pub const MAX_NOTE: usize = 4096;

    /// Returns a reason that expects no entry.
    #[must_use]
    pub fn note(note: impl Into<String>) -> Self {
        Self { note: note.into(), expected: None }
    }

    /// Rejects a note that is too long, and a slot that is not in the expected entry.
    pub(crate) fn check(&self, current: Option<&SlotEntry>) -> Result<(), Error> {
        if self.note.len() > Self::MAX_NOTE {
            let message = format!("the note has {} bytes, the limit is {}", self.note.len(), Self::MAX_NOTE);
            return Err(Error::new(codes::LIMIT_EXCEEDED, message));
        }
        let current = current.map(|entry| entry.id);
        match self.expected {
            Some(expected) if current != Some(expected) => {
                let current = current.map_or_else(|| "none".to_owned(), |id| id.to_string());
                let message = format!("expected the slot in entry {expected}, it is in {current}");
                Err(Error::new(codes::SLOT_CHANGED, message))
            }
            _ => Ok(()),
        }
    }
}
