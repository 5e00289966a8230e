//! The reason of a change.

use adjudicate_core::Error;

use super::state::Entry;
use crate::codes;

/// Why a slot is changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Why {
    /// What the history says about it.
    pub note: String,
    /// The entry that the caller believes the slot to be in. If it is in another one, nothing is changed.
    pub expected: Option<i64>,
}

impl Why {
    /// How long a note may be, in bytes.
    pub const MAX_NOTE: usize = 4096;

    /// A reason, whatever the slot is in.
    #[must_use]
    pub fn note(note: impl Into<String>) -> Self {
        Self { note: note.into(), expected: None }
    }

    /// Refuses to change a slot that is not as expected.
    pub(crate) fn check(&self, current: Option<&Entry>) -> Result<(), Error> {
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
