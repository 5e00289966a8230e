//! The state that all clones of the slots share: the open slots, and the threads that act for them.

use std::{
    collections::BTreeMap,
    ops::Deref,
    sync::{Arc, PoisonError, RwLock, mpsc},
};

use adjudicate_core::Error;
use adjudicate_sandbox::Host;

use super::{
    health::Problems,
    ledger_binding::LedgerBinding,
    live_slot::LiveSlot,
    loader::{Loader, ReadCredentials},
    route::Route,
    shadow::Shadows,
    shared::Shared,
    task::Task,
};
use crate::{
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
    pub(super) tasks: mpsc::Sender<Task>,
}

impl SlotsState {
    /// Creates the state without slots and threads. Returns the receiver of the tasks for faults.
    pub(super) fn new(
        store: Store,
        host: Host,
        binding: Option<LedgerBinding>,
    ) -> Result<(Self, mpsc::Receiver<Task>), Error> {
        let (tasks, received) = mpsc::channel();
        let inner = Self {
            shadows: Shadows::start(store.clone())?,
            recorder: Recorder::new(store.clone()),
            loader: Loader {
                store,
                host,
                shared: Shared::default(),
                read: ReadCredentials::default(),
                binding,
                problems: Problems::default(),
            },
            slots: RwLock::default(),
            tasks,
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

    /// An open slot.
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
        slot.catch_up(&self.loader);
        if slot.is_closed() { Err(unknown_slot(name)) } else { Ok(slot) }
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
