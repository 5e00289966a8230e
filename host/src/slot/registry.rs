//! All slots of a store, opened.

use std::{
    collections::BTreeMap,
    ops::Deref,
    sync::{Arc, PoisonError, RwLock, mpsc},
};

use adjudicate_core::Error;
use serde::Serialize;

use super::{
    bound::Bound,
    change::Why,
    ledger::{Ledger, Proposed},
    live::SlotState,
    loader::{Loader, ReadCredentials, now},
    route::Route,
    settings::SlotSettings,
    shadow::Shadows,
    shared::Shared,
    state::{Action, Entry, State, check_name},
    statistics::Statistics,
    troubles::Troubles,
    watcher::{self, Task},
};
use crate::{
    host::Host,
    record::Recorder,
    store::{Change, InstalledModule, Store},
};

/// The slots of a store, ready to be called. Cheap to clone; all clones are the same slots.
///
/// What another process changes in the store is noticed within a tenth of a second, and swapped in.
///
/// ```no_run
/// use adjudicate_core::Operation;
/// use adjudicate_host::{Composition, Host, Settings, SlotSettings, Slots, Store, Terms, Why};
///
/// let store = Store::open("policies".as_ref())?;
/// let host = Host::new(Settings { cache: store.cache().ok(), ..Settings::default() })?;
/// let slots = Slots::open(store, host)?;
///
/// let installed = slots.install(&std::fs::read("strict.wasm")?, &Terms::default())?;
/// let slot = slots.create("release", SlotSettings::default(), &Why::default())?;
/// slot.activate(Composition::of(installed.module.digest), &Why::default())?;
/// let decided = slot.call(Operation::Evaluate, &std::fs::read("envelope.json")?)?;
/// println!("{}", decided.text);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Slots {
    pub(super) inner: Arc<Opened>,
}

/// What callers hold of the slots. With the last of them the decision records that wait are written, by whoever drops it: the
/// thread that watches the store may be looking at it just then, and a process does not wait for that to end.
#[derive(Debug)]
pub(super) struct Opened(Arc<Inner>);

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

/// A slot of an open store. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Slot {
    pub(super) state: Arc<SlotState>,
    pub(super) slots: Arc<Opened>,
}

/// On which terms a module is installed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// The slot whose trust policy and limits count; without one, the store's policy and the host's limits.
    pub slot: Option<String>,
    /// Whether it needs no signature: for local development.
    pub unsigned: bool,
}

/// A module that was installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Installed {
    /// The module, as the store has it.
    pub module: InstalledModule,
    /// Whether the store did not have it before.
    pub is_new: bool,
    /// How many tests of its own it passed.
    pub tests: usize,
}

impl Slots {
    /// Opens the slots of a store; each is loaded when it is first asked for. One whose modules cannot be loaded is there
    /// too, and answers with the reason.
    ///
    /// # Errors
    ///
    /// [`StoreFault`](adjudicate_core::ErrorCode::StoreFault) when the store cannot be read;
    /// [`HostFault`](adjudicate_core::ErrorCode::HostFault) when no thread can be started.
    pub fn open(store: Store, host: Host) -> Result<Self, Error> {
        Self::start(store, host, None)
    }

    /// Opens the slots of a store whose truth is a ledger that several hosts share. What is changed here is put there first, and
    /// then written down here; what others change is brought here by whoever follows the ledger and calls [`Slots::follow`].
    /// `allow_unsigned` says whether a module may decide here that somebody said needs no signature.
    ///
    /// From then on the store is that ledger's: whoever opens it without can call its slots, and change none.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use adjudicate_host::{Host, Ledger, Settings, Slots, Store};
    ///
    /// /// The slots of a ledger, which decide here by this host's rules; whoever follows it calls `follow` for each entry.
    /// fn open(ledger: Arc<dyn Ledger>) -> Result<Slots, adjudicate_core::Error> {
    ///     let store = Store::open("policies".as_ref())?;
    ///     let host = Host::new(Settings { cache: store.cache().ok(), ..Settings::default() })?;
    ///     Slots::open_shared(store, host, ledger, false)
    /// }
    /// # let _: fn(Arc<dyn Ledger>) -> _ = open;
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`Slots::open`]; [`WrongUsage`](adjudicate_core::ErrorCode::WrongUsage) for a store that has slots of its own, or
    /// those of another ledger.
    pub fn open_shared(
        store: Store,
        host: Host,
        ledger: Arc<dyn Ledger>,
        allow_unsigned: bool,
    ) -> Result<Self, Error> {
        store.bind(ledger.id())?;
        Self::start(store, host, Some(Bound { ledger, takes_unsigned: allow_unsigned }))
    }

    fn start(store: Store, host: Host, bound: Option<Bound>) -> Result<Self, Error> {
        let (tasks, received) = mpsc::channel();
        let seen = store.generation()?;
        let inner = Inner {
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
        let inner = Arc::new(inner);
        watcher::start(Arc::downgrade(&inner), received, seen)?;
        Ok(Self { inner: Arc::new(Opened(inner)) })
    }

    pub(super) fn loader(&self) -> &Loader {
        &self.inner.loader
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.inner.loader.store
    }

    /// Installs a module: checks it, judges whether it is trusted, compiles it, runs the tests that it brings, and keeps
    /// it. Nothing is put in force by that.
    ///
    /// # Errors
    ///
    /// The `module_*` code of whatever is wrong with it, or why it is not trusted; those of the store. Where several hosts share
    /// slots, the module is kept in their ledger, too: [`ClusterFault`](adjudicate_core::ErrorCode::ClusterFault) if it is only
    /// here.
    pub fn install(&self, module: &[u8], terms: &Terms) -> Result<Installed, Error> {
        let loader @ Loader { store, host, bound, .. } = &self.inner.loader;
        let settings = match &terms.slot {
            Some(name) => store.slot(name)?.settings,
            None => SlotSettings::default(),
        };
        let trust = loader.trust(terms.slot.as_deref())?;
        let limits = settings.limits(host.limits());
        let fresh = loader.install(module, limits, &trust.policy, terms.unsigned)?;
        let digest = fresh.module.digest();
        if let Some(bound) = bound {
            bound.ledger.keep_module(digest, module)?;
        }
        Ok(Installed { module: store.module(digest)?, is_new: fresh.is_new, tests: fresh.tests })
    }

    /// Makes a slot in which nothing is active yet; one that is there gets these settings.
    ///
    /// # Errors
    ///
    /// [`WrongUsage`](adjudicate_core::ErrorCode::WrongUsage) for a name that is none;
    /// [`InvalidValue`](adjudicate_core::ErrorCode::InvalidValue) for settings that cannot work;
    /// [`LimitExceeded`](adjudicate_core::ErrorCode::LimitExceeded) for more than [`Store::MOST_SLOTS`]; those of
    /// [`Slot::configure`].
    pub fn create(&self, name: &str, settings: SlotSettings, why: &Why) -> Result<Slot, Error> {
        check_name(name)?;
        settings.check()?;
        if let Ok(slot) = self.slot(name) {
            slot.configure(settings, why)?;
            return Ok(slot);
        }
        let (action, state) = (Action::Configure, State::default());
        if let Some(bound) = &self.inner.loader.bound {
            why.check(None)?;
            // The ledger would have it, and this host would refuse it.
            self.store().check_room(name)?;
            let note = &why.note;
            let proposed = Proposed { at: now(), action, note, state: &state, settings: &settings };
            self.inner.loader.put(bound, name, None, &proposed, &[])?;
        } else {
            self.store().change_slot(name, now(), |current| {
                why.check(current)?;
                let state = current.map_or(state, |entry| entry.state.clone());
                Ok(Change { action, note: why.note.clone(), state, settings, heights: Vec::new() })
            })?;
        }
        self.slot(name)
    }

    /// The slot with this name.
    ///
    /// # Errors
    ///
    /// [`UnknownSlot`](adjudicate_core::ErrorCode::UnknownSlot); those of the store.
    pub fn slot(&self, name: &str) -> Result<Slot, Error> {
        Ok(Slot { state: self.inner.slot(name)?, slots: Arc::clone(&self.inner) })
    }

    /// All slots, by name.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub fn slots(&self) -> Result<Vec<Slot>, Error> {
        self.store().slots()?.iter().map(|entry| self.slot(&entry.slot)).collect()
    }

    /// Slots that are not what the store, or the ledger that several hosts share, says, and why; by name. They are not all among
    /// [`Slots::slots`]: one whose first entry is refused here is not there yet. Of those only some are told by name, for whoever
    /// writes the ledger can make up any number; that there are more is told under the empty name.
    #[must_use]
    pub fn troubles(&self) -> BTreeMap<String, Error> {
        let mut troubles = self.inner.loader.troubles.all();
        for slot in self.inner.known() {
            if let Some(trouble) = slot.trouble() {
                troubles.insert(slot.name.clone(), trouble);
            }
        }
        troubles
    }

    /// What is wrong with one slot, as among [`Slots::troubles`].
    ///
    /// ```
    /// use adjudicate_host::{Host, Settings, SlotSettings, Slots, Store, Why};
    /// # let directory = tempfile::tempdir().unwrap();
    /// let store = Store::open(&directory.path().join("policies"))?;
    /// let slots = Slots::open(store, Host::new(Settings::default())?)?;
    /// slots.create("release", SlotSettings::default(), &Why::default())?;
    /// assert_eq!(slots.trouble("release"), None);
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn trouble(&self, slot: &str) -> Option<Error> {
        let here = self.inner.find(slot).and_then(|slot| slot.trouble());
        here.or_else(|| self.inner.loader.troubles.of(slot))
    }

    /// Writes the decision records that wait, and what shadows would have answered otherwise; for those that are behind it waits some
    /// seconds. Calls of slots that keep records fail from then on. Whoever ends a process calls this first: what is left behind by
    /// threads that end with it is lost.
    ///
    /// # Errors
    ///
    /// [`StoreFault`](adjudicate_core::ErrorCode::StoreFault), with how many could not be written.
    pub fn close(&self) -> Result<(), Error> {
        self.inner.shadows.finish();
        self.inner.recorder.close()
    }

    /// Looks at the store now, without waiting for the next time.
    pub fn refresh(&self) {
        self.inner.refresh();
    }
}

impl Inner {
    /// Loads what the store says and this process does not have yet. A slot whose new state cannot be loaded stays as it
    /// is, and says so.
    pub(super) fn refresh(&self) {
        self.known().iter().for_each(|slot| slot.refresh(&self.loader));
    }

    /// Tries again what could not be loaded, or not be done.
    pub(super) fn retry(&self) {
        for slot in self.known().iter().filter(|slot| slot.trouble().is_some()) {
            slot.refresh(&self.loader);
        }
    }

    /// The slots that were asked for.
    fn known(&self) -> Vec<Arc<SlotState>> {
        self.slots.read().unwrap_or_else(PoisonError::into_inner).values().map(Arc::clone).collect()
    }

    /// A slot that was asked for.
    pub(super) fn find(&self, name: &str) -> Option<Arc<SlotState>> {
        self.slots.read().unwrap_or_else(PoisonError::into_inner).get(name).map(Arc::clone)
    }

    fn slot(&self, name: &str) -> Result<Arc<SlotState>, Error> {
        if let Some(slot) = self.find(name) {
            return Ok(slot);
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
        slot.refresh(&self.loader);
        Ok(slot)
    }
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

    /// What is in force in this process: the entry of the slot's history that it runs.
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
        self.state.counters.read(self.state.route.load().known(), trouble)
    }
}

#[cfg(test)]
mod tests {
    use adjudicate_core::Operation;

    use super::*;
    use crate::{Acknowledge, By, Observation, RecordSettings, Settings};

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
