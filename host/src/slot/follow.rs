//! Following the ledger: what other hosts did to a slot is done here too, if the rules of this host allow it.

use std::sync::Arc;

use adjudicate_core::Error;

use super::{
    deployment::Deployment,
    ledger::Ledger,
    loader::{LoadTerms, Loader, Trust},
    opened::Inner,
    registry::Slots,
    way_back::Source,
};
use crate::{
    codes,
    history::{Action, Canary, Composition, Entry, Member, SlotSettings, State, Why, check_name},
    store::{Height, InstalledModule, Taken},
    trust::{Moment, TrustPolicy},
};

impl Slots {
    /// Brings a slot up to an entry of the ledger that this host shares. `is_latest` says that there is none behind it, as far
    /// as the caller knows: only such an entry is put in force; another one becomes part of the history, and nothing is loaded
    /// for it.
    ///
    /// Modules that this host lacks are fetched from the ledger and installed as any other: by the trust policy that this host
    /// has for the slot, within its limits, with their own tests. What is put in force is judged as an activation here would be;
    /// going back to an earlier version is allowed where the ledger's history, as far as this host knows it, says that it was in
    /// force.
    ///
    /// An entry that is refused leaves the slot as it is, and is the slot's trouble ([`Slots::troubles`]). Whoever follows the
    /// ledger asks again now and then: what is wrong with the module itself is looked at again after a minute, or when the trust
    /// policy is another one; asking meanwhile costs nothing. An entry that is there already changes nothing.
    ///
    /// # Errors
    ///
    /// [`wrong_usage`](crate::codes::WRONG_USAGE) if this host shares no ledger; why the entry is refused, with the code that an
    /// activation here would fail with; [`cluster_fault`](crate::codes::CLUSTER_FAULT) and
    /// [`unknown_module`](crate::codes::UNKNOWN_MODULE) of the ledger; [`store_fault`](crate::codes::STORE_FAULT).
    pub fn follow(&self, entry: Entry, is_latest: bool) -> Result<(), Error> {
        let inner = &**self.inner;
        let Some(bound) = &inner.loader.bound else {
            let message = "the slots are those of this store alone, and follow nobody";
            return Err(Error::new(codes::WRONG_USAGE, message));
        };
        let sound = check_name(&entry.slot).and_then(|()| check_number(&entry));
        sound.inspect_err(|error| self.note_trouble(&entry.slot, Some(error.clone())))?;
        inner.follow(&*bound.ledger, entry, is_latest)
    }

    /// Notes what is wrong with a slot of the ledger, where that is nothing that [`Slots::follow`] could find out, or with
    /// `None`, that it no longer is. An entry that is followed afterwards takes it away, too.
    ///
    /// Of slots that this host does not have only some are told by name, for whoever writes the ledger can make up any number: that
    /// there are more is noted under the empty name, and stays until that is noted with `None`.
    pub fn note_trouble(&self, slot: &str, trouble: Option<Error>) {
        self.inner.note_trouble(slot, trouble);
    }
}

impl Slots {
    /// Says that what was noted of a slot that this host never had is gone from the ledger, and no trouble any more. Of a slot that this
    /// host has nothing is forgotten.
    ///
    /// ```
    /// use adjudicate_core::Error;
    /// use adjudicate_sandbox::{Host, Settings};
    /// use adjudicate_host::{Slots, Store, codes};
    /// # let directory = tempfile::tempdir().unwrap();
    /// let store = Store::open(&directory.path().join("policies"))?;
    /// let slots = Slots::open(store, Host::new(Settings::default())?)?;
    /// slots.note_trouble("made-up", Some(Error::new(codes::CLUSTER_FAULT, "it is no entry")));
    /// slots.forget_trouble("made-up");
    /// assert_eq!(slots.trouble("made-up"), None);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn forget_trouble(&self, slot: &str) {
        if !self.inner.has(slot) {
            self.inner.loader.troubles.forget(slot);
        }
    }
}

impl Inner {
    fn note_trouble(&self, slot: &str, trouble: Option<Error>) {
        let is_here = trouble.is_some() && self.has(slot);
        self.loader.troubles.note(slot, is_here, trouble);
    }

    /// Whether this host has a slot. A store that cannot be read says of no other slots than those that are open.
    fn has(&self, slot: &str) -> bool {
        self.find(slot).is_some() || self.loader.store.find_slot(slot).is_ok_and(|found| found.is_some())
    }

    fn follow(&self, ledger: &dyn Ledger, entry: Entry, is_latest: bool) -> Result<(), Error> {
        let Loader { store, troubles, .. } = &self.loader;
        let take_history = |entry: &Entry| {
            let taken = store.take_history(ledger.id(), entry);
            taken.inspect_err(|error| self.note_trouble(&entry.slot, Some(error.clone())))
        };
        if !is_latest {
            return take_history(&entry);
        }
        if let Some(superseded) = troubles.superseded(&entry) {
            take_history(&superseded)?;
        }
        // Somebody else may change the slot meanwhile: another process that follows the ledger, or whoever changes it here.
        loop {
            let current = store.find_slot(&entry.slot)?;
            if current.as_ref().is_some_and(|current| current.id >= entry.id) {
                take_history(&entry)?;
                troubles.settle(&entry.slot, entry.id);
                return Ok(());
            }
            let trust = store.trust(Some(&entry.slot))?;
            if let Some(error) = troubles.still(&entry, trust.as_deref()) {
                return Err(error);
            }
            match self.adopt(ledger, current.as_ref(), &entry) {
                Ok(Taken::Stale) => {}
                Ok(Taken::InForce | Taken::Superseded) => {
                    troubles.settle(&entry.slot, entry.id);
                    return Ok(());
                }
                Err(error) => {
                    troubles.refuse(entry, current.is_some(), trust, error.clone());
                    return Err(error);
                }
            }
        }
    }

    /// Judges an entry, loads what it puts in force or tries, and puts it in the place of the one that is current.
    fn adopt(&self, ledger: &dyn Ledger, current: Option<&Entry>, entry: &Entry) -> Result<Taken, Error> {
        let loader = &self.loader;
        check(entry)?;
        if current.is_none() {
            loader.store.check_room(&entry.slot)?;
        }
        let slot = self.find(&entry.slot);
        // Before the trust policy is read: whoever puts another one in force looks at the route afterwards.
        let here = slot.as_ref().map(|slot| slot.route.load_full());
        let trust = loader.trust(Some(&entry.slot))?;
        let _fetched = loader.fetch(entry.state.compositions(), &entry.settings, &trust.policy)?;
        let Ready { active, others: _others } = loader.ready(current, entry, &trust)?;
        // Fetched and loaded for the route, which only looks into the store.
        let _before = entry
            .settings
            .goes_back()
            .then(|| loader.way_back(entry, &trust.policy, here.as_deref(), Source::Ledger));
        let was_active = current.and_then(|current| current.state.active.as_ref());
        let next = active.as_ref().filter(|_| entry.state.active.as_ref() != was_active);
        let heights = next.map(|next| next.heights()).unwrap_or_default();
        let taken =
            loader.store.take_entry(ledger.id(), entry, current.map(|current| current.id), &heights)?;
        match (slot, here, &active) {
            (Some(slot), Some(here), Some(_)) if taken == Taken::InForce => {
                slot.put_in_force(loader, &here, entry, trust, active.as_ref());
            }
            // Who decided so far goes on, also where the store's active composition cannot be loaded here.
            (Some(slot), ..) => slot.refresh(loader),
            _ => {}
        }
        Ok(taken)
    }
}

/// What was loaded for an entry.
struct Ready {
    active: Option<Arc<Deployment>>,
    /// Who is tried: held until the route has them, so that nothing is loaded twice.
    others: Vec<Arc<Deployment>>,
}

impl Loader {
    /// Judges and loads what an entry changes; what it leaves as it was is loaded with the route, which says what fails.
    fn ready(&self, current: Option<&Entry>, entry: &Entry, trust: &Trust) -> Result<Ready, Error> {
        let load = |target: &Composition, moment: Moment, before: Option<i64>| {
            let Entry { slot, settings, .. } = entry;
            let terms = LoadTerms { slot, settings, trust: &trust.policy, moment, before };
            self.deployment(target, &terms, None)
        };
        let before = current.map(|current| &current.state);
        let is_configured = current.is_none_or(|current| current.settings != entry.settings);
        let active = match &entry.state.active {
            Some(active) if before.and_then(|before| before.active.as_ref()) == Some(active) => {
                is_configured.then(|| load(active, Moment::Load, None)).transpose()?
            }
            Some(active) => {
                let (moment, first) = self.moment(entry, active)?;
                Some(load(active, moment, Some(first))?)
            }
            None => None,
        };
        let mut others = Vec::new();
        if let Some(next) = tried(&entry.state).filter(|next| before.and_then(tried) != Some(next)) {
            let first = self.first(entry, |each| tried(&each.state) == Some(next))?;
            others.push(load(next, Moment::Activate, Some(first.id))?);
        }
        let shadow = entry.state.shadow.as_ref();
        if let Some(next) = shadow.filter(|_| before.is_none_or(|before| before.shadow.as_ref() != shadow)) {
            others.push(load(next, Moment::Install, None)?);
        }
        Ok(Ready { active, others })
    }

    /// The entry since which something is so that is so in this one: entries behind that one left it as it was, and were perhaps
    /// not judged here. What was in force before that one counts, and not what came since: whoever put it could not know.
    fn first(&self, entry: &Entry, is_so: impl Fn(&Entry) -> bool) -> Result<Entry, Error> {
        let before = self.store.judged_before(&entry.slot, entry.id, |each, _| is_so(each))?;
        let run = before.into_iter().map(|(each, _)| each).take_while(|each| is_so(each));
        Ok(run.last().unwrap_or_else(|| entry.clone()))
    }

    /// What a composition is judged for that an entry has in force, and the number of the entry that put it there. A rollback is
    /// no downgrade where the composition was in force before.
    fn moment(&self, entry: &Entry, active: &Composition) -> Result<(Moment, i64), Error> {
        let is_it = |each: &Entry| each.state.active.as_ref() == Some(active);
        let first = self.first(entry, is_it)?;
        if !matches!(first.action, Action::Rollback | Action::AutomaticRollback) {
            return Ok((Moment::Activate, first.id));
        }
        let goes_on = |each: &Entry, is_judged: bool| !(is_judged && is_it(each));
        let before = self.store.judged_before(&entry.slot, first.id, goes_on)?;
        for (each, is_judged) in before.iter().filter(|(each, _)| is_it(each)) {
            if *is_judged || self.stood(each)? {
                return Ok((Moment::Rollback, first.id));
            }
        }
        Ok((Moment::Activate, first.id))
    }

    /// Whether an entry that was never judged here could have been in force: no module of it is below what was in force before.
    /// So nobody makes an earlier version look like one to go back to by putting it into the ledger while nobody follows.
    pub(super) fn stood(&self, entry: &Entry) -> Result<bool, Error> {
        let Some(active) = &entry.state.active else { return Ok(false) };
        if !self.store.lacks(active.members().map(|member| member.module))?.is_empty() {
            return Ok(false);
        }
        let heights = self.store.heights_before(&entry.slot, entry.id)?;
        let is_below = |of: &Height| {
            heights.get(&of.name).is_some_and(|height| of.version.cmp_precedence(height).is_lt())
        };
        Ok(!self.versions(active)?.iter().any(is_below))
    }

    /// The versions of a composition's modules, which the store has.
    fn versions(&self, composition: &Composition) -> Result<Vec<Height>, Error> {
        let version = |member: &Member| {
            let InstalledModule { name, version, .. } = self.store.module(member.module)?;
            Ok(Height { name, version })
        };
        composition.members().map(version).collect()
    }

    /// Finds out which versions were in force in a slot while this host did not follow it: what is put in force here must not be
    /// below them, for the hosts that did follow would refuse it.
    pub(super) fn learn_heights(&self, current: &Entry, trust: &TrustPolicy) -> Result<(), Error> {
        if self.bound.is_none() {
            return Ok(());
        }
        let mut heights = Vec::new();
        for entry in self.store.unjudged(&current.slot)? {
            // What is not trusted here, or is nowhere any more, says nothing. Where nobody answers, nothing will be put either.
            let fetched = self.fetch(entry.state.active.iter(), &current.settings, trust);
            if fetched.as_ref().is_err_and(is_away) {
                break;
            }
            if let Some(active) =
                entry.state.active.as_ref().filter(|_| self.stood(&entry).unwrap_or_default())
            {
                heights.extend(self.versions(active)?);
            }
        }
        self.store.raise_heights(&current.slot, &heights)
    }
}

/// Whether it is of no use to ask the ledger for something else now.
fn is_away(error: &Error) -> bool {
    error.code() == codes::CLUSTER_FAULT
}

/// Refuses a number that no ledger gives.
fn check_number(entry: &Entry) -> Result<(), Error> {
    match entry.id {
        1.. => Ok(()),
        id => Err(Error::new(codes::CLUSTER_FAULT, format!("an entry cannot have the number {id}"))),
    }
}

/// Who decides some of the runs.
fn tried(state: &State) -> Option<&Composition> {
    state.canary.as_ref().map(|canary| &canary.composition)
}

/// Refuses what no host of this version would have put.
fn check(entry: &Entry) -> Result<(), Error> {
    Why::note(entry.note.as_str()).check(None)?;
    SlotSettings::check(&entry.settings)?;
    entry.state.canary.as_ref().map_or(Ok(()), Canary::check)?;
    entry.state.compositions().try_for_each(Composition::check)
}
