//! All slots of a store, opened.

use std::{collections::BTreeMap, sync::Arc};

use adjudicate_core::Error;
use adjudicate_sandbox::Host;

use super::{
    bound::Bound,
    handle::Slot,
    ledger::{Ledger, Proposed},
    loader::{Loader, now},
    opened::{Inner, Opened},
    watcher,
};
use crate::{
    codes,
    history::{Action, Entry, SlotSettings, State, Why, check_name},
    store::{Change, Store},
};

/// The slots of a store, ready to be called. Cheap to clone; all clones are the same slots.
///
/// What another process changes in the store is noticed within a tenth of a second, and swapped in.
///
/// ```no_run
/// use adjudicate_core::Operation;
/// use adjudicate_sandbox::{Host, Settings};
/// use adjudicate_host::{Composition, SlotSettings, Slots, Store, Terms, Why};
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

impl Slots {
    /// Opens the slots of a store; each is loaded when it is first asked for. One whose modules cannot be loaded is there
    /// too, and answers with the reason.
    ///
    /// # Errors
    ///
    /// [`store_fault`](crate::codes::STORE_FAULT) when the store cannot be read;
    /// [`host_fault`](crate::codes::HOST_FAULT) when no thread can be started.
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
    /// use adjudicate_sandbox::{Host, Settings};
    /// use adjudicate_host::{Ledger, Slots, Store};
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
    /// As for [`Slots::open`]; [`wrong_usage`](crate::codes::WRONG_USAGE) for a store that has slots of its own, or
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
        let seen = store.generation()?;
        let (inner, tasks) = Inner::new(store, host, bound)?;
        let inner = Arc::new(inner);
        watcher::start(Arc::downgrade(&inner), tasks, seen)?;
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

    /// Makes a slot in which nothing is active yet; one that is there gets these settings.
    ///
    /// # Errors
    ///
    /// [`wrong_usage`](crate::codes::WRONG_USAGE) for a name that is none;
    /// [`invalid_value`](crate::codes::INVALID_VALUE) for settings that cannot work;
    /// [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) for more than [`Store::MOST_SLOTS`]; those of
    /// [`Slot::configure`].
    pub fn create(&self, name: &str, settings: SlotSettings, why: &Why) -> Result<Slot, Error> {
        check_name(name)?;
        settings.check()?;
        let there = self.slot(name).and_then(|slot| slot.configure(settings.clone(), why).map(|_| slot));
        // The slot that this process has may have been deleted a moment ago.
        if !there.as_ref().is_err_and(|error| error.code() == codes::UNKNOWN_SLOT) {
            return there;
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
        let slot = self.slot(name)?;
        slot.state.catch_up(self.loader());
        Ok(slot)
    }

    /// The slot with this name.
    ///
    /// # Errors
    ///
    /// [`unknown_slot`](crate::codes::UNKNOWN_SLOT); those of the store.
    pub fn slot(&self, name: &str) -> Result<Slot, Error> {
        Ok(Slot { state: self.inner.slot(name)?, slots: Arc::clone(&self.inner) })
    }

    /// All slots, by name.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub fn slots(&self) -> Result<Vec<Slot>, Error> {
        let slots = self.store().slots()?.into_iter().map(|entry| self.slot(&entry.slot));
        // Leaves out slots that were deleted meanwhile.
        slots.filter(|slot| !slot.as_ref().is_err_and(|error| error.code() == codes::UNKNOWN_SLOT)).collect()
    }

    /// Removes a slot, as [`Store::delete_slot`]. Calls in flight still get their answers. Later calls fail with
    /// [`unknown_slot`](crate::codes::UNKNOWN_SLOT), also through a [`Slot`] that a caller holds, until a slot of this name is created
    /// again.
    ///
    /// ```
    /// use adjudicate_core::{ErrorCode, Operation};
    /// use adjudicate_sandbox::{Host, Settings};
    /// use adjudicate_host::{SlotSettings, Slots, Store, Why};
    /// # let directory = tempfile::tempdir().unwrap();
    /// let store = Store::open(&directory.path().join("policies"))?;
    /// let slots = Slots::open(store, Host::new(Settings::default())?)?;
    /// let slot = slots.create("release", SlotSettings::default(), &Why::default())?;
    /// slots.delete("release", None)?;
    /// let error = slot.call(Operation::Evaluate, b"{}").unwrap_err();
    /// assert_eq!(error.code(), "unknown_slot");
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`Store::delete_slot`].
    pub fn delete(&self, slot: &str, expected: Option<i64>) -> Result<Entry, Error> {
        let entry = self.store().delete_slot(slot, expected)?;
        self.inner.refresh();
        Ok(entry)
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

    /// Slots that keep decision records and cannot write them now, and why; by name. Their calls fail for as long as that lasts.
    /// It is found out by a call; that it is over, about a second later, also without one:
    /// [`Recorder::unwritten`](crate::Recorder::unwritten).
    #[must_use]
    pub fn unrecorded(&self) -> BTreeMap<String, Error> {
        let mut unwritten = self.inner.recorder.unwritten();
        unwritten.retain(|name, _| self.inner.find(name).is_some_and(|slot| slot.keeps_records()));
        unwritten
    }

    /// What is wrong with one slot, as among [`Slots::troubles`].
    ///
    /// ```
    /// use adjudicate_sandbox::{Host, Settings};
    /// use adjudicate_host::{SlotSettings, Slots, Store, Why};
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
    /// [`store_fault`](crate::codes::STORE_FAULT), with how many could not be written.
    pub fn close(&self) -> Result<(), Error> {
        self.inner.shadows.finish();
        self.inner.recorder.close()
    }

    /// Looks at the store now, without waiting for the next time.
    pub fn refresh(&self) {
        self.inner.refresh();
    }
}
