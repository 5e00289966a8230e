//! The state that all clones of the slots share: the open slots, and for each the route of its calls and its problem.

use std::{
    collections::BTreeMap,
    ops::Deref,
    sync::{Arc, Mutex, PoisonError, RwLock, mpsc},
};

use adjudicate_core::Error;
use adjudicate_sandbox::Host;
use arc_swap::ArcSwap;

use super::{
    ledger::LedgerBinding,
    loader::Loader,
    route::Route,
    shadow::Shadows,
    statistics::{Counters, Statistics},
    window::FaultObservation,
};
use crate::{
    codes,
    history::SlotEntry,
    recorder::Recorder,
    store::{Store, unknown_slot},
};

/// The callers' reference to the slots. When the last one is dropped, the queued decision records are written. The watcher thread
/// may use `SlotsState` at that moment, and the process does not wait for it.
#[derive(Debug)]
pub(super) struct SlotsHandle(pub(super) Arc<SlotsState>);

impl Deref for SlotsHandle {
    type Target = SlotsState;

    fn deref(&self) -> &SlotsState {
        &self.0
    }
}

impl Drop for SlotsHandle {
    fn drop(&mut self) {
        // To learn of records that could not be written, callers close the slots first.
        let _ = self.0.recorder.close();
    }
}

/// The state that all clones share.
#[derive(Debug)]
pub(super) struct SlotsState {
    pub(super) loader: Loader,
    slots: RwLock<BTreeMap<String, Arc<LiveSlot>>>,
    pub(super) shadows: Shadows,
    pub(super) recorder: Recorder,
    pub(super) faults: mpsc::Sender<FaultObservation>,
}

impl SlotsState {
    /// Creates the state without slots and threads. Returns the receiver of the faults to act on.
    pub(super) fn new(
        store: Store,
        host: Host,
        binding: Option<LedgerBinding>,
    ) -> Result<(Self, mpsc::Receiver<FaultObservation>), Error> {
        let (faults, received) = mpsc::channel();
        let inner = Self {
            shadows: Shadows::start(store.clone())?,
            recorder: Recorder::new(store.clone()),
            loader: Loader::new(store, host, binding),
            slots: RwLock::default(),
            faults,
        };
        Ok((inner, received))
    }

    /// Loads the changes of the store. A slot whose new state cannot be loaded stays as it is and has a problem.
    pub(super) fn refresh(&self) {
        self.known().iter().for_each(|slot| slot.refresh(&self.loader));
        // Forgets deleted slots, except those that a caller holds, because they can be created again.
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        slots.retain(|_, slot| !slot.is_closed() || Arc::strong_count(slot) > 1);
    }

    /// Repeats failed loads and writes.
    pub(super) fn retry(&self) {
        self.recorder.retry();
        for slot in self.known().iter().filter(|slot| slot.problem().is_some()) {
            slot.refresh(&self.loader);
        }
    }

    /// The open slots.
    pub(super) fn known(&self) -> Vec<Arc<LiveSlot>> {
        self.slots.read().unwrap_or_else(PoisonError::into_inner).values().map(Arc::clone).collect()
    }

    pub(super) fn find(&self, name: &str) -> Option<Arc<LiveSlot>> {
        self.slots.read().unwrap_or_else(PoisonError::into_inner).get(name).map(Arc::clone)
    }

    /// Returns a slot and opens it if necessary.
    pub(super) fn slot(&self, name: &str) -> Result<Arc<LiveSlot>, Error> {
        let known = self.find(name);
        if let Some(slot) = known.as_ref().filter(|slot| !slot.is_closed()) {
            return Ok(Arc::clone(slot));
        }
        let entry = self.loader.store.slot(name)?;
        let route = self.loader.route(entry.clone(), None);
        let route = route.unwrap_or_else(|error| Route::broken(entry, error));
        let slot = LiveSlot::new(name, route);
        // Another thread may have opened it meanwhile.
        let slot = {
            let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(slots.entry(name.to_owned()).or_insert_with(|| Arc::new(slot)))
        };
        // The watcher has not seen changes from before the slot was open.
        slot.follow_store(&self.loader, false);
        if slot.is_closed() { Err(unknown_slot(name)) } else { Ok(slot) }
    }
}

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

/// The state of one slot in this process.
#[derive(Debug)]
pub(super) struct LiveSlot {
    pub(super) name: String,
    pub(super) route: ArcSwap<Route>,
    pub(super) counters: Arc<Counters>,
    /// Held during a change from this process.
    pub(super) changing: Mutex<()>,
    /// The reason why the route is not that of the store.
    problem: Mutex<Option<Error>>,
}

impl LiveSlot {
    pub(super) fn new(name: &str, route: Route) -> Self {
        Self {
            name: name.to_owned(),
            route: ArcSwap::from_pointee(route),
            counters: Arc::default(),
            changing: Mutex::default(),
            problem: Mutex::default(),
        }
    }

    /// Routes calls by the current entry and trust policy of the store. Tries again to load the modules that could not be loaded before.
    ///
    /// It does not wait for running changes: a composition that is no longer trusted stops at once, even while a module is compiled for
    /// the slot.
    pub(super) fn refresh(&self, loader: &Loader) {
        self.follow_store(loader, true);
    }

    /// As [`LiveSlot::refresh`]. A slot that was just loaded does not try again to load modules.
    pub(super) fn follow_store(&self, loader: &Loader, tries_again: bool) {
        loop {
            let here = self.route.load_full();
            let loaded = loader.store.slot(&self.name).and_then(|entry| {
                let trust = loader.store.trust(Some(&self.name))?;
                let is_current = entry.id == here.entry.id
                    && trust == here.trust
                    && (!tries_again || here.problem.is_none());
                if is_current { Ok(None) } else { loader.next_route(entry, &here).map(Some) }
            });
            match loaded {
                Ok(Some(route)) => {
                    if self.swap(&here, route) {
                        return;
                    }
                    // Another thread was faster and may have seen an earlier state.
                }
                Ok(None) => return self.note_that_it_is_current(),
                Err(error) if error.code() == codes::UNKNOWN_SLOT => {
                    // Running calls keep their route.
                    if self.swap(&here, Route::closed(&self.name)) {
                        return;
                    }
                }
                Err(error) => return self.note(Some(error)),
            }
        }
    }

    /// Replaces the route `here`. Running calls keep it. Returns false if there is another route by now.
    fn swap(&self, here: &Arc<Route>, route: Route) -> bool {
        let before = self.route.compare_and_swap(here, Arc::new(route));
        let is_swapped = Arc::ptr_eq(&before, here);
        if is_swapped {
            self.note(None);
        }
        is_swapped
    }

    /// Returns whether this process has seen that the slot was deleted.
    pub(super) fn is_closed(&self) -> bool {
        self.route.load().is_closed()
    }

    pub(super) fn keeps_records(&self) -> bool {
        self.route.load().entry.settings.records.is_some()
    }

    /// The reason why the slot is not in the state of the store.
    pub(super) fn problem(&self) -> Option<Error> {
        let problem = self.problem.lock().unwrap_or_else(PoisonError::into_inner).clone();
        problem.or_else(|| self.route.load().problem.clone())
    }

    /// Notes that the slot is in the state of the store. Failed changes of the store or the ledger are left to their callers.
    fn note_that_it_is_current(&self) {
        let mut problem = self.problem.lock().unwrap_or_else(PoisonError::into_inner);
        problem.take_if(|error| matches!(error.code(), codes::STORE_FAULT | codes::CLUSTER_FAULT));
    }

    pub(super) fn note(&self, problem: Option<Error>) {
        *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = problem;
    }
}

#[cfg(test)]
mod tests {
    use adjudicate_core::Operation;

    use super::*;
    use adjudicate_sandbox::HostSettings;

    use crate::{Acknowledge, CallObservation, DecidedBy, RecordSettings, Slots};

    #[test]
    fn queued_records_are_written_when_the_last_caller_drops_the_slots() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(&directory.path().join("store")).unwrap();
        let host = Host::new(HostSettings { instances: 1, ..HostSettings::default() }).unwrap();
        let slots = Slots::open(store.clone(), host).unwrap();
        let watching = Arc::clone(&slots.inner.0);
        let settings = RecordSettings { acknowledge: Acknowledge::Queued, ..RecordSettings::default() };
        for _ in 0..500 {
            let call = CallObservation {
                slot: "release",
                settings: &settings,
                at: 0,
                operation: Operation::Evaluate,
                input: b"{}",
                outcome: Ok("{}"),
                by: DecidedBy::Active,
                entry: 1,
                modules: &[],
                fault: None,
                microseconds: 1,
            };
            slots.inner.recorder.record(&call).unwrap();
        }
        drop(slots);
        assert_eq!(store.verify_records("release", &[]).unwrap().1, 500);
        drop(watching);
    }
}
