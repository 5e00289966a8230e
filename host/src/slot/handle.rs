//! A handle to one slot of an open store.

use std::sync::Arc;

use adjudicate_core::Error;

use super::{live_slot::LiveSlot, slots_state::SlotsHandle, statistics::Statistics};
use crate::{history::SlotEntry, store::Store};

/// A slot of an open store. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Slot {
    pub(super) state: Arc<LiveSlot>,
    pub(super) slots: Arc<SlotsHandle>,
}

impl Slot {
    /// The slot's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.state.name
    }

    /// The store of the slot.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.slots.loader.store
    }

    /// The entry of the slot's history that this process runs. For a deleted slot, the entry has the number 0 and no active
    /// composition.
    #[must_use]
    pub fn entry(&self) -> SlotEntry {
        self.state.route.load().entry.clone()
    }

    /// The slot's history, latest entry first.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub fn history(&self, most: u32) -> Result<Vec<SlotEntry>, Error> {
        self.slots.loader.store.history(&self.state.name, most)
    }

    /// The statistics since this process opened the slot.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let problem = self.state.problem().or_else(|| self.slots.loader.problems.get(self.name()));
        let problem = problem.as_ref().map(Error::to_string);
        let unrecorded = self.slots.recorder.why_unwritten(self.name());
        let unrecorded = unrecorded.filter(|_| self.state.keeps_records()).as_ref().map(Error::to_string);
        let known = self.state.route.load().known();
        Statistics { known, problem, unrecorded, ..self.state.counters.read() }
    }
}
