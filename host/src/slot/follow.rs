//! Follows the ledger: applies changes of other hosts to this one, if its rules allow them.

use std::sync::Arc;

use adjudicate_core::Error;
use adjudicate_trust::{TrustAction, TrustPolicy};

use super::{
    deployment::Deployment,
    ledger::SlotLedger,
    loader::{LoadTerms, Loader},
    registry::Slots,
    rollback_target::Source,
    state::SlotsState,
};
use crate::{
    codes,
    history::{
        Canary, ChangeReason, ComposedModule, Composition, SlotAction, SlotEntry, SlotSettings, SlotState,
        check_name,
    },
    store::{ActiveVersion, EntryOutcome, InstalledModule},
};

impl Slots {
    /// Applies an entry of the ledger to a slot. `is_latest` is true if the caller knows no later entry. Only such an entry becomes
    /// active; another one becomes part of the history, and nothing is loaded for it.
    ///
    /// Missing modules are fetched from the ledger and installed like others: by this host's trust policy for the slot, within its
    /// limits, with their own tests. A composition that becomes active is judged like an activation on this host. A rollback to an
    /// earlier version is allowed if the version was active by the ledger's history, as far as this host knows it.
    ///
    /// A rejected entry does not change the slot and becomes its problem ([`Slots::problems`]). The follower of the ledger calls
    /// this function again now and then. A lasting error of the module is checked again after a minute, or when the trust policy
    /// changes; calls meanwhile are cheap. An entry that is already applied changes nothing.
    ///
    /// # Errors
    ///
    /// [`wrong_usage`](crate::codes::WRONG_USAGE) if this host shares no ledger; the error of a rejected entry, with the code of an
    /// activation on this host; [`cluster_fault`](crate::codes::CLUSTER_FAULT) and [`unknown_module`](crate::codes::UNKNOWN_MODULE)
    /// of the ledger; [`store_fault`](crate::codes::STORE_FAULT).
    pub fn follow(&self, entry: SlotEntry, is_latest: bool) -> Result<(), Error> {
        let Some(binding) = &self.loader().binding else {
            let message = "the slots of this store follow no ledger";
            return Err(Error::new(codes::WRONG_USAGE, message));
        };
        let sound = check_name(&entry.slot).and_then(|()| match entry.id {
            1.. => Ok(()),
            id => Err(Error::new(codes::CLUSTER_FAULT, format!("an entry cannot have the number {id}"))),
        });
        sound.inspect_err(|error| self.note_problem(&entry.slot, Some(error.clone())))?;
        self.inner.follow(&*binding.ledger, entry, is_latest)
    }

    /// Notes a problem of a slot that [`Slots::follow`] cannot detect, or with `None`, that it is over. An entry that is applied
    /// later also ends the problem.
    ///
    /// Of slots that this host does not have, only some are reported by name, because a client that may write the ledger can invent
    /// any number. The rest is noted under the empty name, and stays until that name is noted with `None`.
    pub fn note_problem(&self, slot: &str, problem: Option<Error>) {
        self.inner.note_problem(slot, problem);
    }

    /// Forgets the problem of a slot that this host never had and that is gone from the ledger. Does nothing for a slot of this
    /// host.
    pub fn forget_problem(&self, slot: &str) {
        if !self.inner.has(slot) {
            self.inner.loader.problems.forget(slot);
        }
    }
}

impl SlotsState {
    fn note_problem(&self, slot: &str, problem: Option<Error>) {
        let is_local = problem.is_some() && self.has(slot);
        self.loader.problems.note(slot, is_local, problem);
    }

    /// True if this host has the slot. If the store cannot be read, only open slots count.
    fn has(&self, slot: &str) -> bool {
        self.find(slot).is_some() || self.loader.store.find_slot(slot).is_ok_and(|found| found.is_some())
    }

    fn follow(&self, ledger: &dyn SlotLedger, entry: SlotEntry, is_latest: bool) -> Result<(), Error> {
        let Loader { store, problems, .. } = &self.loader;
        let store_history = |entry: &SlotEntry| {
            let taken = store.store_history(ledger.id(), entry);
            taken.inspect_err(|error| self.note_problem(&entry.slot, Some(error.clone())))
        };
        if !is_latest {
            return store_history(&entry);
        }
        if let Some(refused) = problems.refused(&entry.slot)
            && refused.entry.id < entry.id
        {
            store_history(&refused.entry)?;
        }
        // Another process that follows the ledger, or a caller on this host, may change the slot meanwhile.
        loop {
            let current = store.find_slot(&entry.slot)?;
            if current.as_ref().is_some_and(|current| current.id >= entry.id) {
                store_history(&entry)?;
                problems.settle(&entry.slot, entry.id);
                return Ok(());
            }
            let trust = store.trust(Some(&entry.slot))?;
            if let Some(refused) = problems.refused(&entry.slot)
                && refused.applies(&entry, trust.as_deref())
            {
                return Err(refused.error);
            }
            match self.adopt(ledger, current.as_ref(), &entry) {
                Ok(EntryOutcome::Stale) => {}
                Ok(EntryOutcome::Active | EntryOutcome::Superseded) => {
                    problems.settle(&entry.slot, entry.id);
                    return Ok(());
                }
                Err(error) => {
                    problems.refuse(entry, current.is_some(), trust, error.clone());
                    return Err(error);
                }
            }
        }
    }

    /// Judges an entry, loads its compositions, and replaces the current entry.
    fn adopt(
        &self,
        ledger: &dyn SlotLedger,
        current: Option<&SlotEntry>,
        entry: &SlotEntry,
    ) -> Result<EntryOutcome, Error> {
        let loader = &self.loader;
        check(entry)?;
        if current.is_none() {
            loader.store.check_room(&entry.slot)?;
        }
        let trust = loader.trust(Some(&entry.slot))?;
        let _fetched = loader.fetch(entry.state.compositions(), &entry.settings, &trust)?;
        let LoadedCompositions { active, others: _others } = loader.load_changed(current, entry, &trust)?;
        // The route only searches the store, so its modules are fetched and loaded here.
        let _before =
            entry.settings.rolls_back().then(|| loader.rollback_target(entry, &trust, Source::Ledger));
        let was_active = current.and_then(|current| current.state.active.as_ref());
        let next = active.as_ref().filter(|_| entry.state.active.as_ref() != was_active);
        let active_versions = next.map(|next| next.active_versions()).unwrap_or_default();
        let taken = loader.store.store_entry(
            ledger.id(),
            entry,
            current.map(|current| current.id),
            &active_versions,
        )?;
        // The current composition continues to answer, even if the store's active composition cannot be loaded here.
        if let Some(slot) = self.find(&entry.slot) {
            slot.refresh(loader);
        }
        Ok(taken)
    }
}

/// The compositions that were loaded for an entry.
struct LoadedCompositions {
    active: Option<Arc<Deployment>>,
    /// The canary and the shadow: held until the route has them, so that nothing is loaded twice.
    others: Vec<Arc<Deployment>>,
}

impl Loader {
    /// Judges and loads the compositions that an entry changes. The unchanged ones are loaded with the route, which reports their
    /// errors.
    fn load_changed(
        &self,
        current: Option<&SlotEntry>,
        entry: &SlotEntry,
        trust: &TrustPolicy,
    ) -> Result<LoadedCompositions, Error> {
        let load = |target: &Composition, trust_action: TrustAction, before: Option<i64>| {
            let SlotEntry { slot, settings, .. } = entry;
            let terms = LoadTerms { slot, settings, trust, trust_action, before };
            self.deployment(target, &terms)
        };
        let before = current.map(|current| &current.state);
        let is_configured = current.is_none_or(|current| current.settings != entry.settings);
        let active = match &entry.state.active {
            Some(active) if before.and_then(|before| before.active.as_ref()) == Some(active) => {
                is_configured.then(|| load(active, TrustAction::Load, None)).transpose()?
            }
            Some(active) => {
                let (trust_action, first) = self.trust_action(entry, active)?;
                Some(load(active, trust_action, Some(first))?)
            }
            None => None,
        };
        let mut others = Vec::new();
        if let Some(next) =
            canary_composition(&entry.state).filter(|next| before.and_then(canary_composition) != Some(next))
        {
            let first = self.first(entry, |each| canary_composition(&each.state) == Some(next))?;
            others.push(load(next, TrustAction::Activate, Some(first.id))?);
        }
        let shadow = entry.state.shadow.as_ref();
        if let Some(next) = shadow.filter(|_| before.is_none_or(|before| before.shadow.as_ref() != shadow)) {
            others.push(load(next, TrustAction::Install, None)?);
        }
        Ok(LoadedCompositions { active, others })
    }

    /// The first entry of the current run for which `is_so` is true. Later entries of the run kept it, and this host may not have
    /// judged them. The versions that were active before that entry count, not those after it, which its author could not know.
    fn first(&self, entry: &SlotEntry, is_so: impl Fn(&SlotEntry) -> bool) -> Result<SlotEntry, Error> {
        let before = self.store.judged_before(&entry.slot, entry.id, |each, _| is_so(each))?;
        let run = before.into_iter().map(|(each, _)| each).take_while(|each| is_so(each));
        Ok(run.last().unwrap_or_else(|| entry.clone()))
    }

    /// The moment for which trust judges the active composition of an entry, and the entry that activated it. A rollback is not a
    /// downgrade if the composition was active before.
    fn trust_action(&self, entry: &SlotEntry, active: &Composition) -> Result<(TrustAction, i64), Error> {
        let is_it = |each: &SlotEntry| each.state.active.as_ref() == Some(active);
        let first = self.first(entry, is_it)?;
        if !matches!(first.action, SlotAction::Rollback | SlotAction::AutomaticRollback) {
            return Ok((TrustAction::Activate, first.id));
        }
        let goes_on = |each: &SlotEntry, is_judged: bool| !(is_judged && is_it(each));
        let before = self.store.judged_before(&entry.slot, first.id, goes_on)?;
        for (each, is_judged) in before.iter().filter(|(each, _)| is_it(each)) {
            if *is_judged || self.could_have_been_active(each)? {
                return Ok((TrustAction::Rollback, first.id));
            }
        }
        Ok((TrustAction::Activate, first.id))
    }

    /// True if an entry that this host never judged could have been active: none of its modules is below a version that was active
    /// before. So an attacker cannot prepare a rollback by putting an earlier version into the ledger while no host follows it.
    pub(super) fn could_have_been_active(&self, entry: &SlotEntry) -> Result<bool, Error> {
        let Some(active) = &entry.state.active else { return Ok(false) };
        if !self.store.lacks(active.members().map(|member| member.module))?.is_empty() {
            return Ok(false);
        }
        let active_versions = self.store.active_versions_before(&entry.slot, entry.id)?;
        let is_below = |of: &ActiveVersion| {
            active_versions.get(&of.name).is_some_and(|height| of.version.cmp_precedence(height).is_lt())
        };
        Ok(!self.versions(active)?.iter().any(is_below))
    }

    /// The versions of a composition's modules, from the store.
    fn versions(&self, composition: &Composition) -> Result<Vec<ActiveVersion>, Error> {
        let version = |member: &ComposedModule| {
            let InstalledModule { name, version, .. } = self.store.module(member.module)?;
            Ok(ActiveVersion { name, version })
        };
        composition.members().map(version).collect()
    }

    /// Learns which versions were active in a slot while this host did not follow the ledger. An activation here must not be below
    /// them, because the hosts that followed would reject it.
    pub(super) fn learn_active_versions(
        &self,
        current: &SlotEntry,
        trust: &TrustPolicy,
    ) -> Result<(), Error> {
        if self.binding.is_none() {
            return Ok(());
        }
        let mut active_versions = Vec::new();
        for entry in self.store.unjudged(&current.slot)? {
            // An untrusted or missing module is skipped. If the ledger does not answer, the change fails anyway.
            let fetched = self.fetch(entry.state.active.iter(), &current.settings, trust);
            if fetched.is_err_and(|error| error.code() == codes::CLUSTER_FAULT) {
                break;
            }
            if self.could_have_been_active(&entry).unwrap_or_default()
                && let Some(active) = &entry.state.active
            {
                active_versions.extend(self.versions(active)?);
            }
        }
        self.store.raise_active_versions(&current.slot, &active_versions)
    }
}

/// The composition of the canary.
fn canary_composition(state: &SlotState) -> Option<&Composition> {
    state.canary.as_ref().map(|canary| &canary.composition)
}

/// Rejects an entry that no host of this version writes.
fn check(entry: &SlotEntry) -> Result<(), Error> {
    ChangeReason::note(entry.note.as_str()).check(None)?;
    SlotSettings::check(&entry.settings)?;
    entry.state.canary.as_ref().map_or(Ok(()), Canary::check)?;
    entry.state.compositions().try_for_each(Composition::check)
}
