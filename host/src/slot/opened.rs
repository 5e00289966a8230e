//! What all clones of the slots share: the slots that were asked for, and those who act for them.

use std::{
    collections::BTreeMap,
    ops::Deref,
    sync::{Arc, PoisonError, RwLock, mpsc},
};

use adjudicate_core::Error;
use adjudicate_sandbox::Host;

use super::{
    bound::Bound,
    live::SlotState,
    loader::{Loader, ReadCredentials},
    route::Route,
    shadow::Shadows,
    shared::Shared,
    troubles::Troubles,
    watcher::Task,
};
use crate::{
    recorder::Recorder,
    store::{Store, unknown_slot},
};

/// What callers hold of the slots. With the last of them the decision records that wait are written, by whoever drops it: the
/// thread that watches the store may be looking at it just then, and a process does not wait for that to end.
#[derive(Debug)]
pub(super) struct Opened(pub(super) Arc<Inner>);

impl Deref for Opened {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // Whoever wants to hear what could not be written closes the slots first.
        let _ = self.0.recorder.close();
    }
}

/// What all clones share.
#[derive(Debug)]
pub(super) struct Inner {
    pub(super) loader: Loader,
    slots: RwLock<BTreeMap<String, Arc<SlotState>>>,
    pub(super) shadows: Shadows,
    pub(super) recorder: Recorder,
    pub(super) tasks: mpsc::Sender<Task>,
}

impl Inner {
    /// No slot yet, and nobody who watches; with what is sent to whoever acts on faults.
    pub(super) fn new(
        store: Store,
        host: Host,
        bound: Option<Bound>,
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
                bound,
                troubles: Troubles::default(),
            },
            slots: RwLock::default(),
            tasks,
        };
        Ok((inner, received))
    }

    /// Loads what the store says and this process does not have yet. A slot whose new state cannot be loaded stays as it
    /// is, and says so.
    pub(super) fn refresh(&self) {
        self.known().iter().for_each(|slot| slot.refresh(&self.loader));
        // Forgets deleted slots, except those that a caller holds: somebody may create them again.
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        slots.retain(|_, slot| !slot.is_closed() || Arc::strong_count(slot) > 1);
    }

    /// Tries again what could not be loaded, or not be done.
    pub(super) fn retry(&self) {
        self.recorder.retry();
        for slot in self.known().iter().filter(|slot| slot.trouble().is_some()) {
            slot.refresh(&self.loader);
        }
    }

    /// The slots that were asked for.
    pub(super) fn known(&self) -> Vec<Arc<SlotState>> {
        self.slots.read().unwrap_or_else(PoisonError::into_inner).values().map(Arc::clone).collect()
    }

    /// A slot that was asked for.
    pub(super) fn find(&self, name: &str) -> Option<Arc<SlotState>> {
        self.slots.read().unwrap_or_else(PoisonError::into_inner).get(name).map(Arc::clone)
    }

    /// A slot, which is loaded if nobody asked for it before.
    pub(super) fn slot(&self, name: &str) -> Result<Arc<SlotState>, Error> {
        let known = self.find(name);
        if let Some(slot) = known.as_ref().filter(|slot| !slot.is_closed()) {
            return Ok(Arc::clone(slot));
        }
        let entry = self.loader.store.slot(name)?;
        let route = self.loader.route(entry.clone(), None);
        let route = route.unwrap_or_else(|error| Route::broken(entry, error));
        let slot = SlotState::new(name, route);
        // Another thread may have opened it meanwhile.
        let slot = {
            let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(slots.entry(name.to_owned()).or_insert_with(|| Arc::new(slot)))
        };
        // What was changed before it was known here, nobody has looked at.
        slot.catch_up(&self.loader);
        if slot.is_closed() { Err(unknown_slot(name)) } else { Ok(slot) }
    }
}

#[cfg(test)]
mod tests {
    use adjudicate_core::Operation;

    use super::*;
    use adjudicate_sandbox::Settings;

    use crate::{Acknowledge, By, Observation, RecordSettings, Slots};

    #[test]
    fn what_waits_is_written_when_the_last_who_calls_goes_whoever_watches() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(&directory.path().join("store")).unwrap();
        let host = Host::new(Settings { instances: 1, ..Settings::default() }).unwrap();
        let slots = Slots::open(store.clone(), host).unwrap();
        let watching = Arc::clone(&slots.inner.0);
        let settings = RecordSettings { acknowledge: Acknowledge::Queued, ..RecordSettings::default() };
        for _ in 0..500 {
            let call = Observation {
                slot: "release",
                settings: &settings,
                at: 0,
                operation: Operation::Evaluate,
                input: b"{}",
                outcome: Ok("{}"),
                by: By::Active,
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
