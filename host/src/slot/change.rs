//! Changes of a slot. Slow work comes first, then one transaction, then the swap of one pointer.

use std::sync::PoisonError;

use adjudicate_core::Error;
use adjudicate_trust::TrustAction;

use super::{
    loader::{LoadTerms, Loader, now},
    rollback_target::{RollbackTarget, Source, no_target, noted},
    state::{LiveSlot, Slot},
    window::FaultObservation,
};
use crate::{
    codes,
    history::{Canary, ChangeReason, Composition, SlotAction, SlotEntry, SlotSettings, SlotState},
    store::SlotChange,
};

impl Slot {
    /// Activates a composition. It is judged, loaded and stored on disk before the first call uses it. Running calls finish with
    /// the previous composition. If the composition was the canary or the shadow, that role ends.
    ///
    /// # Errors
    ///
    /// The errors of a module that is not trusted or cannot be loaded; [`slot_changed`](crate::codes::SLOT_CHANGED);
    /// [`store_fault`](crate::codes::STORE_FAULT). After an error, nothing has changed on this host.
    ///
    /// For a slot that several hosts share, there are two more cases:
    ///
    /// - [`cluster_fault`](crate::codes::CLUSTER_FAULT) if the ledger cannot be reached or did not answer. The change may still be
    ///   in the ledger. Then it becomes active when this host follows the ledger.
    /// - [`store_fault`](crate::codes::STORE_FAULT) with the entry's number if the change is in the ledger but could not be written
    ///   here. It becomes active when the store can be written.
    ///
    /// [`wrong_usage`](crate::codes::WRONG_USAGE) if the slots of the store belong to a ledger, and the store was opened without
    /// it.
    pub fn activate(&self, composition: Composition, why: &ChangeReason) -> Result<SlotEntry, Error> {
        self.state.change(&self.slots.loader, SlotAction::Activate, why, |state, _| {
            state.canary.take_if(|canary| canary.composition == composition);
            state.shadow.take_if(|shadow| *shadow == composition);
            state.active = Some(composition.clone());
            (Some(composition), TrustAction::Activate)
        })
    }

    /// Calls a composition in addition to the active one and records the differences. `None` ends that.
    ///
    /// # Errors
    ///
    /// As for [`Slot::activate`].
    pub fn shadow(&self, composition: Option<Composition>, why: &ChangeReason) -> Result<SlotEntry, Error> {
        self.state.change(&self.slots.loader, SlotAction::Shadow, why, |state, _| {
            state.shadow.clone_from(&composition);
            // The shadow makes no decisions, so it may be an earlier version.
            (composition, TrustAction::Install)
        })
    }

    /// Lets a composition decide a share of the runs. `None` ends that.
    ///
    /// # Errors
    ///
    /// As for [`Slot::activate`]; [`wrong_usage`](crate::codes::WRONG_USAGE) for a share above 1000.
    pub fn canary(&self, canary: Option<Canary>, why: &ChangeReason) -> Result<SlotEntry, Error> {
        canary.as_ref().map_or(Ok(()), Canary::check)?;
        self.state.change(&self.slots.loader, SlotAction::Canary, why, |state, _| {
            state.canary.clone_from(&canary);
            (canary.map(|canary| canary.composition), TrustAction::Activate)
        })
    }

    /// Rolls back to the composition of the entry `to`. Without `to`, rolls back to the newest earlier composition that may be
    /// active again and that no rollback replaced. The note lists the entries that were passed over. Canary and shadow end.
    ///
    /// # Errors
    ///
    /// As for [`Slot::activate`]. A rollback is judged like an activation, by trust and the policy's `minimum_versions`
    /// ([`module_downgrade`](crate::codes::MODULE_DOWNGRADE)), but later versions that were active do not count. If every entry was
    /// passed over, the error of the latest one; [`unknown_version`](crate::codes::UNKNOWN_VERSION) if there is no entry.
    pub fn rollback(&self, to: Option<i64>, why: &ChangeReason) -> Result<SlotEntry, Error> {
        let loader = &self.slots.loader;
        let mut why = why.clone();
        let (active, trust_action, _held) = match to {
            Some(id) => {
                let entry = loader.store.entry(self.name(), id)?;
                let active = entry.state.active.clone().ok_or_else(|| no_target(self.name(), &[]))?;
                let (fetched, trust_action) = loader.rollback_action(&entry)?;
                (active, trust_action, (fetched, None))
            }
            None => {
                let current = loader.store.slot(self.name())?;
                // The target depends on the current entry, so the slot must not change meanwhile.
                why.expected.get_or_insert(current.id);
                let RollbackTarget { found, passed } = self.state.rollback_target(loader, &current)?;
                let found = found.ok_or_else(|| no_target(self.name(), &passed))?;
                why.note = noted(&why.note, &passed);
                (found.composition.clone(), TrustAction::Rollback, (Vec::new(), Some(found)))
            }
        };
        self.state.change(&self.slots.loader, SlotAction::Rollback, &why, |state, _| {
            *state = SlotState { active: Some(active.clone()), ..SlotState::default() };
            (Some(active), trust_action)
        })
    }

    /// Changes the settings of the slot. The active modules are loaded again with them.
    ///
    /// # Errors
    ///
    /// As for [`Slot::activate`]; [`invalid_value`](crate::codes::INVALID_VALUE) for settings that cannot work.
    pub fn configure(&self, settings: SlotSettings, why: &ChangeReason) -> Result<SlotEntry, Error> {
        settings.check()?;
        self.state.change(&self.slots.loader, SlotAction::Configure, why, |state, current| {
            *current = settings;
            (state.active.clone(), TrustAction::Load)
        })
    }
}

impl LiveSlot {
    /// Applies `change` to the slot. It returns the composition to load and the moment for which trust judges it.
    pub(super) fn change(
        &self,
        loader: &Loader,
        action: SlotAction,
        why: &ChangeReason,
        change: impl FnOnce(&mut SlotState, &mut SlotSettings) -> (Option<Composition>, TrustAction),
    ) -> Result<SlotEntry, Error> {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        // Slow work, for the current state of the slot.
        let current = loader.store.slot(&self.name)?;
        why.check(Some(&current))?;
        let (mut state, mut settings) = (current.state.clone(), current.settings.clone());
        let (target, trust_action) = change(&mut state, &mut settings);
        // Loaded first and held, so that nothing can fail after the activation.
        let trust = loader.trust(Some(&self.name))?;
        let terms =
            LoadTerms { slot: &self.name, settings: &settings, trust: &trust, trust_action, before: None };
        if trust_action == TrustAction::Activate && target.is_some() {
            loader.learn_active_versions(&current, &trust)?;
        }
        let _fetched = loader.fetch(target.iter(), &settings, &trust)?;
        let loaded = target.as_ref().map(|target| loader.deployment(target, &terms)).transpose()?;
        let next = loaded.as_ref().filter(|_| state.active != current.state.active);
        let active_versions = next.map(|next| next.active_versions()).unwrap_or_default();
        let change = SlotChange { action, note: why.note.clone(), state, settings, active_versions };
        let entry = match &loader.binding {
            Some(binding) => loader.put(binding, &self.name, Some(&current), change)?,
            None => loader.store.change_slot(&self.name, now(), |found| {
                why.check(found)?;
                if found.map(|entry| entry.id) != Some(current.id) {
                    let message = "the slot was changed at the same time; nothing was changed";
                    return Err(Error::new(codes::SLOT_CHANGED, message));
                }
                Ok(change)
            })?,
        };
        // The entry is on disk, so the change has happened. An attempt that fails here is repeated by the watcher of the store.
        self.refresh(loader);
        Ok(entry)
    }

    fn rollback_target(&self, loader: &Loader, current: &SlotEntry) -> Result<RollbackTarget, Error> {
        loader.rollback_target(current, &loader.trust(Some(&self.name))?, Source::Ledger)
    }
}

/// Acts on a composition that failed too often. Fails if the slot was changed since, or if the store or the ledger failed.
///
/// If no earlier composition may be active, the slot fails closed: no module is active.
pub(super) fn act_on_faults(
    slot: &LiveSlot,
    loader: &Loader,
    observed: &FaultObservation,
) -> Result<SlotEntry, Error> {
    let mut why = ChangeReason { note: observed.note.clone(), expected: Some(observed.entry) };
    if observed.action == SlotAction::CanaryWithdrawn {
        return slot.change(loader, observed.action, &why, |state, _| {
            state.canary = None;
            // The composition that stays active was already judged.
            (None, TrustAction::Load)
        });
    }
    let RollbackTarget { found, passed } = slot.rollback_target(loader, &loader.store.slot(&slot.name)?)?;
    if found.is_none() {
        why.note.push_str("; no earlier entry may be active, so the slot fails closed");
    }
    why.note = noted(&why.note, &passed);
    slot.change(loader, observed.action, &why, |state, _| {
        let active = found.as_ref().map(|found| found.composition.clone());
        *state = SlotState { active: active.clone(), ..SlotState::default() };
        (active, TrustAction::Rollback)
    })
}
