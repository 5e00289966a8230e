//! Changes of a slot. Whatever takes time comes first; then one transaction, then one pointer.

use std::sync::Arc;

use adjudicate_core::Error;

use super::{
    deployment::Deployment,
    handle::Slot,
    ledger::Proposed,
    live::SlotState,
    loader::{LoadTerms, Loader, Trust, now},
    route::Route,
    way_back::{Source, WayBack, noted, nothing_before},
};
use crate::{
    codes,
    history::{Action, Canary, Composition, Entry, SlotSettings, State, Why},
    store::Change,
    trust::Moment,
};

impl Slot {
    /// Puts a composition in force. It is judged, loaded and on the disk before the first call goes to it; calls in flight
    /// end where they began. If it was the canary or the shadow, it is no longer.
    ///
    /// # Errors
    ///
    /// Why a module is not trusted or cannot be loaded; [`slot_changed`](crate::codes::SLOT_CHANGED);
    /// [`store_fault`](crate::codes::STORE_FAULT). Whatever it is, nothing has changed here.
    ///
    /// Of a slot that several hosts share: [`cluster_fault`](crate::codes::CLUSTER_FAULT) if the ledger cannot be reached or did not
    /// answer, which may have happened all the same, and comes into force when it is followed; so does what is in the ledger and
    /// could not be written here (`StoreFault`, with the entry's number). [`wrong_usage`](crate::codes::WRONG_USAGE) for a store
    /// whose slots are a ledger's, opened without it.
    pub fn activate(&self, composition: Composition, why: &Why) -> Result<Entry, Error> {
        self.change(Action::Activate, why, |state, _| {
            state.canary.take_if(|canary| canary.composition == composition);
            state.shadow.take_if(|shadow| *shadow == composition);
            state.active = Some(composition.clone());
            (Some(composition), Moment::Activate)
        })
    }

    /// Asks a composition about every call beside the active one, and records where they differ; `None` ends that.
    ///
    /// # Errors
    ///
    /// As for [`Slot::activate`].
    pub fn shadow(&self, composition: Option<Composition>, why: &Why) -> Result<Entry, Error> {
        self.change(Action::Shadow, why, |state, _| {
            state.shadow.clone_from(&composition);
            // It decides nothing, so it may be an earlier version.
            (composition, Moment::Install)
        })
    }

    /// Lets a composition decide some of the runs; `None` ends that.
    ///
    /// # Errors
    ///
    /// As for [`Slot::activate`]; [`wrong_usage`](crate::codes::WRONG_USAGE) for more than a thousand of a thousand.
    pub fn canary(&self, canary: Option<Canary>, why: &Why) -> Result<Entry, Error> {
        canary.as_ref().map_or(Ok(()), Canary::check)?;
        self.change(Action::Canary, why, |state, _| {
            state.canary.clone_from(&canary);
            (canary.map(|canary| canary.composition), Moment::Activate)
        })
    }

    /// Rolls back: to the composition that was active after the entry `to` of the history, or without one, to the newest one that
    /// may be active again and was active before the one that is now. The note says which entries were passed over. Canary and
    /// shadow end.
    ///
    /// # Errors
    ///
    /// As for [`Slot::activate`]: a rollback is judged like an activation, by trust and the policy's `minimum_versions`
    /// ([`module_downgrade`](crate::codes::MODULE_DOWNGRADE)), except that a later version was active since. Where every entry was passed
    /// over, the refusal of the latest; [`unknown_version`](crate::codes::UNKNOWN_VERSION) if there is none.
    pub fn rollback(&self, to: Option<i64>, why: &Why) -> Result<Entry, Error> {
        let loader = &self.slots.loader;
        let mut why = why.clone();
        let (active, moment, _held) = match to {
            Some(id) => {
                let entry = loader.store.entry(self.name(), id)?;
                let active = entry.state.active.clone().ok_or_else(|| nothing_before(self.name(), &[]))?;
                let (fetched, moment) = loader.moment_of_going_back(&entry)?;
                (active, moment, (fetched, None))
            }
            None => {
                let current = loader.store.slot(self.name())?;
                // The slot may not change meanwhile: from another entry the way back is another one.
                why.expected.get_or_insert(current.id);
                let WayBack { found, passed } = self.state.way_back(loader, &current)?;
                let found = found.ok_or_else(|| nothing_before(self.name(), &passed))?;
                why.note = noted(&why.note, &passed);
                (found.composition.clone(), Moment::Rollback, (Vec::new(), Some(found)))
            }
        };
        self.change(Action::Rollback, &why, |state, _| {
            *state = State { active: Some(active.clone()), ..State::default() };
            (Some(active), moment)
        })
    }

    /// Gives the slot other settings. What is active is loaded anew under them.
    ///
    /// # Errors
    ///
    /// As for [`Slot::activate`]; [`invalid_value`](crate::codes::INVALID_VALUE) for settings that cannot work.
    pub fn configure(&self, settings: SlotSettings, why: &Why) -> Result<Entry, Error> {
        settings.check()?;
        self.change(Action::Configure, why, |state, current| {
            *current = settings;
            (state.active.clone(), Moment::Load)
        })
    }

    fn change(
        &self,
        action: Action,
        why: &Why,
        change: impl FnOnce(&mut State, &mut SlotSettings) -> (Option<Composition>, Moment),
    ) -> Result<Entry, Error> {
        self.state.change(&self.slots.loader, action, why, change)
    }
}

impl SlotState {
    /// Changes the slot as `change` says; it answers what it puts in force or tries, and what that is judged for.
    pub(super) fn change(
        &self,
        loader: &Loader,
        action: Action,
        why: &Why,
        change: impl FnOnce(&mut State, &mut SlotSettings) -> (Option<Composition>, Moment),
    ) -> Result<Entry, Error> {
        let _changing = self.lock();
        let here = self.route.load_full();
        // What takes time, for the state that the slot is in now.
        let current = loader.store.slot(&self.name)?;
        why.check(Some(&current))?;
        let (mut state, mut settings) = (current.state.clone(), current.settings.clone());
        let (target, moment) = change(&mut state, &mut settings);
        // So that nothing can go wrong once it is in force.
        let trust = loader.trust(Some(&self.name))?;
        let terms =
            LoadTerms { slot: &self.name, settings: &settings, trust: &trust.policy, moment, before: None };
        if moment == Moment::Activate && target.is_some() {
            loader.learn_heights(&current, &trust.policy)?;
        }
        let _fetched = loader.fetch(target.iter(), &settings, &trust.policy)?;
        let load = |target: &Composition| loader.deployment(target, &terms, Some(&here));
        let ready = target.as_ref().map(load).transpose()?;
        let next = ready.as_ref().filter(|_| state.active != current.state.active);
        let heights = next.map(|next| next.heights()).unwrap_or_default();
        let entry = if let Some(bound) = &loader.bound {
            let note = &why.note;
            let proposed = Proposed { at: now(), action, note, state: &state, settings: &settings };
            loader.put(bound, &self.name, Some(&current), &proposed, &heights)?
        } else {
            loader.store.change_slot(&self.name, now(), |found| {
                why.check(found)?;
                if found.map(|entry| entry.id) != Some(current.id) {
                    let message = "somebody else changed the slot at the same time; nothing was changed";
                    return Err(Error::new(codes::SLOT_CHANGED, message));
                }
                Ok(Change { action, note: why.note.clone(), state, settings, heights })
            })?
        };
        self.put_in_force(loader, &here, &entry, trust, ready.as_ref());
        Ok(entry)
    }

    /// Swaps the route for that of an entry that the store has; `ready` was loaded for it, beside the route that was `here`
    /// before the trust policy was read. It is on the disk, so it has happened; who watches the store may be faster, and tries
    /// again what fails here.
    pub(super) fn put_in_force(
        &self,
        loader: &Loader,
        here: &Arc<Route>,
        entry: &Entry,
        trust: Trust,
        ready: Option<&Arc<Deployment>>,
    ) {
        let route = loader.route_with(entry.clone(), Some(here), trust, ready);
        // Who puts another trust policy in force looks at the route afterwards: either it is this one, or this comes too late.
        if !self.settle(here, route) {
            self.follow(loader, entry);
        }
    }

    /// Brings the route up to an entry of the history, if somebody else changed it meanwhile.
    fn follow(&self, loader: &Loader, entry: &Entry) {
        loop {
            let here = self.route.load_full();
            let is_there = here.is_closed() || here.entry.id >= entry.id;
            if is_there || self.settle(&here, loader.route(entry.clone(), Some(&here))) {
                return;
            }
        }
    }

    /// Puts a route in the place of the one that it was loaded beside, or says why there is none. False if something else is
    /// there by now.
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

/// Acts on a composition that failed too often; an error if somebody changed the slot since, or the store or the ledger failed.
///
/// Where nothing may be rolled back to, the slot fails closed: nothing is active in it.
pub(super) fn act_on_faults(
    slot: &SlotState,
    loader: &Loader,
    action: Action,
    entry: i64,
    note: String,
) -> Result<Entry, Error> {
    let mut why = Why { note, expected: Some(entry) };
    let back = match action {
        Action::AutomaticRollback => Some(slot.way_back(loader, &loader.store.slot(&slot.name)?)?),
        _ => None,
    };
    if let Some(WayBack { found, passed }) = &back {
        let closed =
            if found.is_none() { "; nothing may be rolled back to, so the slot fails closed" } else { "" };
        why.note = noted(&format!("{}{closed}", why.note), passed);
    }
    slot.change(loader, action, &why, |state, _| match &back {
        Some(back) => {
            let active = back.found.as_ref().map(|found| found.composition.clone());
            *state = State { active: active.clone(), ..State::default() };
            (active, Moment::Rollback)
        }
        // The composition that stays active was judged before.
        None => {
            state.canary = None;
            (None, Moment::Load)
        }
    })
}

impl SlotState {
    fn way_back(&self, loader: &Loader, current: &Entry) -> Result<WayBack, Error> {
        let trust = loader.trust(Some(&self.name))?;
        loader.way_back(current, &trust.policy, Some(&self.route.load_full()), Source::Ledger)
    }
}
