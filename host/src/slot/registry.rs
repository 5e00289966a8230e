//! The slots of an open store.

use std::{collections::BTreeMap, sync::Arc};

use adjudicate_core::Error;
use adjudicate_sandbox::Host;

use super::{
    ledger::{LedgerBinding, SlotLedger},
    loader::{Loader, now},
    state::{Slot, SlotsHandle, SlotsState},
    watcher,
};
use crate::{
    codes,
    history::{ChangeReason, SlotAction, SlotEntry, SlotSettings, SlotState, check_name},
    store::{SlotChange, Store},
};

/// The slots of a store, ready for calls. Clones are cheap and share the state.
///
/// Changes of the store by other processes take effect within a tenth of a second. For an example, see the [crate].
#[derive(Clone, Debug)]
pub struct Slots {
    pub(super) inner: Arc<SlotsHandle>,
}

impl Slots {
    /// Opens the slots of a store. Each slot is loaded when it is first used. A slot whose modules cannot be loaded exists, too,
    /// and its calls return the error.
    ///
    /// # Errors
    ///
    /// [`store_fault`](crate::codes::STORE_FAULT) if the store cannot be read; [`host_fault`](crate::codes::HOST_FAULT) if no
    /// thread can be started.
    pub fn open(store: Store, host: Host) -> Result<Self, Error> {
        Self::start(store, host, None)
    }

    /// Opens the slots of a store that follows a shared ledger. A change from here goes to the ledger first and then to the store.
    /// For changes of other hosts, follow the ledger and call [`Slots::follow`]. With `allow_unsigned`, this host accepts modules
    /// that the ledger marks as needing no signature.
    ///
    /// From then on the store belongs to that ledger. If you open it without the ledger, you can call its slots, but not change
    /// them.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use adjudicate_host::{Host, SlotLedger, Slots, Store};
    ///
    /// /// Opens the slots of a ledger. For each entry of the ledger, call `follow`.
    /// fn open(store: Store, host: Host, ledger: Arc<dyn SlotLedger>) -> Result<Slots, adjudicate_core::Error> {
    ///     Slots::open_shared(store, host, ledger, false)
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Slots::open`]; [`wrong_usage`](crate::codes::WRONG_USAGE) for a store with slots of its own or of another ledger.
    pub fn open_shared(
        store: Store,
        host: Host,
        ledger: Arc<dyn SlotLedger>,
        allow_unsigned: bool,
    ) -> Result<Self, Error> {
        store.bind(ledger.id())?;
        Self::start(store, host, Some(LedgerBinding { ledger, accepts_unsigned: allow_unsigned }))
    }

    fn start(store: Store, host: Host, binding: Option<LedgerBinding>) -> Result<Self, Error> {
        let seen = store.generation()?;
        let (inner, faults) = SlotsState::new(store, host, binding)?;
        let inner = Arc::new(inner);
        watcher::start(Arc::downgrade(&inner), faults, seen)?;
        Ok(Self { inner: Arc::new(SlotsHandle(inner)) })
    }

    pub(super) fn loader(&self) -> &Loader {
        &self.inner.loader
    }

    /// The store of the slots.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.inner.loader.store
    }

    /// Creates a slot without an active composition. An existing slot gets these settings.
    ///
    /// # Errors
    ///
    /// [`wrong_usage`](crate::codes::WRONG_USAGE) for an invalid name; [`invalid_value`](crate::codes::INVALID_VALUE) for settings
    /// that cannot work; [`limit_exceeded`](crate::codes::LIMIT_EXCEEDED) for more than [`Store::MOST_SLOTS`]; those of
    /// [`Slot::configure`].
    pub fn create(&self, name: &str, settings: SlotSettings, why: &ChangeReason) -> Result<Slot, Error> {
        check_name(name)?;
        settings.check()?;
        let there = self.slot(name).and_then(|slot| slot.configure(settings.clone(), why).map(|_| slot));
        // The slot in this process may have just been deleted.
        if !there.as_ref().is_err_and(|error| error.code() == codes::UNKNOWN_SLOT) {
            return there;
        }
        let mut change = SlotChange {
            action: SlotAction::Configure,
            note: why.note.clone(),
            state: SlotState::default(),
            settings,
            active_versions: Vec::new(),
        };
        if let Some(binding) = &self.loader().binding {
            why.check(None)?;
            // Checked first, because the ledger would accept a slot that this host rejects.
            self.store().check_room(name)?;
            self.loader().put(binding, name, None, change)?;
        } else {
            self.store().change_slot(name, now(), |current| {
                why.check(current)?;
                if let Some(current) = current {
                    change.state.clone_from(&current.state);
                }
                Ok(change)
            })?;
        }
        let slot = self.slot(name)?;
        slot.state.follow_store(self.loader(), false);
        Ok(slot)
    }

    /// Returns the slot with this name.
    ///
    /// # Errors
    ///
    /// [`unknown_slot`](crate::codes::UNKNOWN_SLOT) if there is none; those of the store.
    pub fn slot(&self, name: &str) -> Result<Slot, Error> {
        Ok(Slot { state: self.inner.slot(name)?, slots: Arc::clone(&self.inner) })
    }

    /// Returns all slots, by name.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub fn slots(&self) -> Result<Vec<Slot>, Error> {
        let slots = self.store().slots()?.into_iter().map(|entry| self.slot(&entry.slot));
        // Leaves out slots that were deleted meanwhile.
        slots.filter(|slot| !slot.as_ref().is_err_and(|error| error.code() == codes::UNKNOWN_SLOT)).collect()
    }

    /// Removes a slot, as [`Store::delete_slot`] does. Running calls still get their answers. Later calls fail with
    /// [`unknown_slot`](crate::codes::UNKNOWN_SLOT), also through a [`Slot`] that a caller holds, until a slot of this name is
    /// created again.
    ///
    /// # Errors
    ///
    /// As for [`Store::delete_slot`].
    pub fn delete(&self, slot: &str, expected: Option<i64>) -> Result<SlotEntry, Error> {
        let entry = self.store().delete_slot(slot, expected)?;
        self.inner.refresh();
        Ok(entry)
    }

    /// Slots that are not in the state of the store or the shared ledger, with their errors, by name. [`Slots::slots`] may lack
    /// some of them: a slot whose first entry this host rejected does not exist yet. Only some of those are reported by name,
    /// because a client that may write the ledger can invent any number. The empty name stands for the rest.
    #[must_use]
    pub fn problems(&self) -> BTreeMap<String, Error> {
        let mut problems = self.inner.loader.problems.all();
        for slot in self.inner.known() {
            if let Some(problem) = slot.problem() {
                problems.insert(slot.name.clone(), problem);
            }
        }
        problems
    }

    /// Slots whose decision records cannot be written, with their errors, by name. Their calls fail meanwhile. A call detects the
    /// problem. The recorder detects within about a second that it is over, also without calls:
    /// [`Recorder::unwritten`](crate::Recorder::unwritten).
    #[must_use]
    pub fn unrecorded(&self) -> BTreeMap<String, Error> {
        let mut unwritten = self.inner.recorder.unwritten();
        unwritten.retain(|name, _| self.inner.find(name).is_some_and(|slot| slot.keeps_records()));
        unwritten
    }

    /// The problem of one slot, as in [`Slots::problems`].
    #[must_use]
    pub fn problem(&self, slot: &str) -> Option<Error> {
        let here = self.inner.find(slot).and_then(|slot| slot.problem());
        here.or_else(|| self.inner.loader.problems.get(slot))
    }

    /// Bytes that a call of a slot may take in addition to its input: the memory of one instance and the answer of each module.
    /// Modules are called one by one, so one instance counts. `None` for a slot that is not open.
    #[must_use]
    pub fn call_bytes(&self, slot: &str) -> Option<usize> {
        let entry = self.inner.find(slot)?.route.load().entry.clone();
        let limits = entry.settings.limits(self.loader().host.limits());
        let compositions =
            entry.state.active.iter().chain(entry.state.canary.iter().map(|canary| &canary.composition));
        let modules = compositions.map(|composition| composition.members().count()).max().unwrap_or_default();
        // The composed answer is one more, and the shadow may run at the same time.
        let answers = limits.output_bytes.saturating_mul(modules + 1);
        let one = limits.memory_bytes.saturating_add(answers);
        Some(one.saturating_mul(if entry.state.shadow.is_some() { 2 } else { 1 }))
    }

    /// Writes the queued decision records and the differences of shadows. Waits some seconds for shadows that are behind. Later
    /// calls of slots with records fail. Call this function before the process ends: records that its threads have not written are
    /// lost.
    ///
    /// # Errors
    ///
    /// [`store_fault`](crate::codes::STORE_FAULT) with the number of records that could not be written.
    pub fn close(&self) -> Result<(), Error> {
        self.inner.shadows.finish();
        self.inner.recorder.close()
    }

    /// Checks the store for changes now.
    pub fn refresh(&self) {
        self.inner.refresh();
    }
}

impl Slot {
    /// All slots of the same store.
    #[must_use]
    pub fn slots(&self) -> Slots {
        Slots { inner: Arc::clone(&self.slots) }
    }
}
