//! Changes of a slot. Slow work comes first, then one transaction, then the swap of one pointer.

use std::sync::Arc;

use adjudicate_core::Error;
use adjudicate_trust::TrustAction;

use super::{
    deployment::Deployment,
    handle::Slot,
    ledger::Proposed,
    live_slot::LiveSlot,
    loader::{LoadTerms, Loader, Trust, now},
    rollback_target::{RollbackTarget, Source, no_target, noted},
    route::Route,
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
        self.change(SlotAction::Activate, why, |state, _| {
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
        self.change(SlotAction::Shadow, why, |state, _| {
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
        self.change(SlotAction::Canary, why, |state, _| {
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
        self.change(SlotAction::Rollback, &why, |state, _| {
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
        self.change(SlotAction::Configure, why, |state, current| {
            *current = settings;
            (state.active.clone(), TrustAction::Load)
        })
    }

    fn change(
        &self,
        action: SlotAction,
        why: &ChangeReason,
        change: impl FnOnce(&mut SlotState, &mut SlotSettings) -> (Option<Composition>, TrustAction),
    ) -> Result<SlotEntry, Error> {
        self.state.change(&self.slots.loader, action, why, change)
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
        let _changing = self.lock();
        let here = self.route.load_full();
        // Slow work, for the current state of the slot.
        let current = loader.store.slot(&self.name)?;
        why.check(Some(&current))?;
        let (mut state, mut settings) = (current.state.clone(), current.settings.clone());
        let (target, trust_action) = change(&mut state, &mut settings);
        // Loaded first, so that nothing can fail after the activation.
        let trust = loader.trust(Some(&self.name))?;
        let terms = LoadTerms {
            slot: &self.name,
            settings: &settings,
            trust: &trust.policy,
            trust_action,
            before: None,
        };
        if trust_action == TrustAction::Activate && target.is_some() {
            loader.learn_active_versions(&current, &trust.policy)?;
        }
        let _fetched = loader.fetch(target.iter(), &settings, &trust.policy)?;
        let load = |target: &Composition| loader.deployment(target, &terms, Some(&here));
        let load_changed = target.as_ref().map(load).transpose()?;
        let next = load_changed.as_ref().filter(|_| state.active != current.state.active);
        let active_versions = next.map(|next| next.active_versions()).unwrap_or_default();
        let entry = if let Some(binding) = &loader.binding {
            let note = &why.note;
            let proposed = Proposed { at: now(), action, note, state: &state, settings: &settings };
            loader.put(binding, &self.name, Some(&current), &proposed, &active_versions)?
        } else {
            loader.store.change_slot(&self.name, now(), |found| {
                why.check(found)?;
                if found.map(|entry| entry.id) != Some(current.id) {
                    let message = "the slot was changed at the same time; nothing was changed";
                    return Err(Error::new(codes::SLOT_CHANGED, message));
                }
                Ok(SlotChange { action, note: why.note.clone(), state, settings, active_versions })
            })?
        };
        self.activate_route(loader, &here, &entry, trust, load_changed.as_ref());
        Ok(entry)
    }

    /// Swaps in the route of a stored entry. `load_changed` was loaded for it. `here` is the route from before the trust policy was read.
    /// The entry is on disk, so the change has happened. The watcher of the store may be faster, and repeats an attempt that fails
    /// here.
    pub(super) fn activate_route(
        &self,
        loader: &Loader,
        here: &Arc<Route>,
        entry: &SlotEntry,
        trust: Trust,
        load_changed: Option<&Arc<Deployment>>,
    ) {
        let route = loader.route_with(entry.clone(), Some(here), trust, load_changed);
        // A change of the trust policy checks the route afterwards: it sees this route, or this swap fails.
        if !self.settle(here, route) {
            self.follow(loader, entry);
        }
    }

    /// Updates the route to an entry of the history if another process changed it meanwhile.
    fn follow(&self, loader: &Loader, entry: &SlotEntry) {
        loop {
            let here = self.route.load_full();
            let is_there = here.is_closed() || here.entry.id >= entry.id;
            if is_there || self.settle(&here, loader.route(entry.clone(), Some(&here))) {
                return;
            }
        }
    }

    /// Swaps in a route for the route `here`, or notes the error. Returns false if there is another route by now.
    fn settle(&self, here: &Arc<Route>, route: Result<Route, Error>) -> bool {
        match route {
            Ok(route) => self.swap(here, route),
            Err(error) => {
                self.note(Some(error));
                true
            }
        }
    }
}

/// Acts on a composition that failed too often. Fails if the slot was changed since, or if the store or the ledger failed.
///
/// If no earlier composition may be active, the slot fails closed: no module is active.
pub(super) fn act_on_faults(
    slot: &LiveSlot,
    loader: &Loader,
    action: SlotAction,
    entry: i64,
    note: String,
) -> Result<SlotEntry, Error> {
    let mut why = ChangeReason { note, expected: Some(entry) };
    let back = match action {
        SlotAction::AutomaticRollback => Some(slot.rollback_target(loader, &loader.store.slot(&slot.name)?)?),
        _ => None,
    };
    if let Some(RollbackTarget { found, passed }) = &back {
        let closed =
            if found.is_none() { "; no earlier entry may be active, so the slot fails closed" } else { "" };
        why.note = noted(&format!("{}{closed}", why.note), passed);
    }
    slot.change(loader, action, &why, |state, _| match &back {
        Some(back) => {
            let active = back.found.as_ref().map(|found| found.composition.clone());
            *state = SlotState { active: active.clone(), ..SlotState::default() };
            (active, TrustAction::Rollback)
        }
        // The composition that stays active was already judged.
        None => {
            state.canary = None;
            (None, TrustAction::Load)
        }
    })
}

impl LiveSlot {
    fn rollback_target(&self, loader: &Loader, current: &SlotEntry) -> Result<RollbackTarget, Error> {
        let trust = loader.trust(Some(&self.name))?;
        loader.rollback_target(current, &trust.policy, Some(&self.route.load_full()), Source::Ledger)
    }
}
