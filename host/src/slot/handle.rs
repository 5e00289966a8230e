//! One slot of an open store, as callers have it.

use std::sync::Arc;

use adjudicate_core::Error;

use super::{live::SlotState, opened::Opened, registry::Slots, statistics::Statistics};
use crate::{history::Entry, store::Store};

/// A slot of an open store. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Slot {
    pub(super) state: Arc<SlotState>,
    pub(super) slots: Arc<Opened>,
}

impl Slot {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.state.name
    }

    /// All slots of the store that it is in.
    #[must_use]
    pub fn slots(&self) -> Slots {
        Slots { inner: Arc::clone(&self.slots) }
    }

    /// The store that it is in.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.slots.loader.store
    }

    /// The entry of the slot's history that this process runs. For a deleted slot, the entry has the number 0 and no active
    /// composition.
    #[must_use]
    pub fn entry(&self) -> Entry {
        self.state.route.load().entry.clone()
    }

    /// The slot's history, the latest first.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub fn history(&self, most: u32) -> Result<Vec<Entry>, Error> {
        self.slots.loader.store.history(&self.state.name, most)
    }

    /// What it has seen since this process opened it.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let trouble = self.state.trouble().or_else(|| self.slots.loader.troubles.of(self.name()));
        let trouble = trouble.as_ref().map(Error::to_string);
        let unrecorded = self.slots.recorder.why_unwritten(self.name());
        let unrecorded = unrecorded.filter(|_| self.state.keeps_records()).as_ref().map(Error::to_string);
        let known = self.state.route.load().known();
        Statistics { known, trouble, unrecorded, ..self.state.counters.read() }
    }
}
