//! Whoever decided a record, asked again: the modules that its entry of the history names, and what the slot did about a fault.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    case::{Case, Obstacle, Recorded},
    outcome::{Outcome, code_of, is_beside_modules},
    version::load,
};
use crate::{
    host::Host,
    slot::{By, Composition, Ensemble, Entry, OnFault, is_of_canary, stand_in},
    store::Store,
};

/// Whoever decided the records of a slot: loaded when they are first asked for.
#[derive(Debug)]
pub struct RecordedVersions {
    store: Store,
    host: Host,
    slot: String,
    entries: Found<i64, Entry>,
    loaded: Found<(i64, Who), Ensemble>,
}

/// What was found; `None` for what is not there, or cannot be loaded.
type Found<K, T> = Mutex<BTreeMap<K, Option<Arc<T>>>>;

/// Who is asked in an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Who {
    Active,
    Canary,
    /// Who was active before.
    Before,
}

impl RecordedVersions {
    pub(super) fn new(store: Store, host: Host, slot: &str) -> Self {
        let slot = slot.to_owned();
        Self { store, host, slot, entries: Mutex::default(), loaded: Mutex::default() }
    }

    /// What a call comes to that is decided as it was then. Where a module fails, what the slot did about it is done again: the
    /// last good version is asked, or the decision is closed.
    pub(super) fn decide(&self, case: &Case) -> Result<Outcome, Obstacle> {
        let recorded = of_modules(case)?;
        let entry = self.entry(recorded.entry)?;
        let (operation, input) = (case.operation, case.input.as_bytes());
        let first = first(&entry, case, recorded);
        let failed = match self.ensemble(&entry, first)?.answer(operation, input) {
            Ok(answer) => return Ok(Outcome::answered(operation, answer)),
            Err(failed) => failed,
        };
        // Where the last good one did not answer then, it is not asked now: it may have been out of trust.
        let is_asked = entry.settings.on_fault == OnFault::LastGood && recorded.by != By::FailClosed.as_str();
        let last_good = if first == Who::Canary { Who::Active } else { Who::Before };
        let last_good = match is_asked.then(|| self.ensemble(&entry, last_good)) {
            Some(Err(obstacle)) if recorded.by == By::LastGood.as_str() => return Err(obstacle),
            found => found.and_then(Result::ok),
        };
        Ok(match stand_in(&entry, last_good.as_deref(), operation, input, failed) {
            Ok(decided) => Outcome::answered(operation, decided.text),
            Err(error) => Outcome::failed(error.to_json()),
        })
    }

    /// Who was asked first.
    pub(super) fn of(&self, case: &Case) -> Result<Arc<Ensemble>, Obstacle> {
        let recorded = of_modules(case)?;
        let entry = self.entry(recorded.entry)?;
        self.ensemble(&entry, first(&entry, case, recorded))
    }

    fn entry(&self, id: i64) -> Result<Arc<Entry>, Obstacle> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let found = entries.entry(id).or_insert_with(|| self.store.entry(&self.slot, id).ok().map(Arc::new));
        found.clone().ok_or(Obstacle::ModuleMissing)
    }

    fn ensemble(&self, entry: &Entry, who: Who) -> Result<Arc<Ensemble>, Obstacle> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let found = loaded.entry((entry.id, who)).or_insert_with(|| self.load(entry, who).map(Arc::new));
        found.clone().ok_or(Obstacle::ModuleMissing)
    }

    fn load(&self, entry: &Entry, who: Who) -> Option<Ensemble> {
        let load = |composition: &Composition| {
            load(&self.store, &self.host, composition, entry.settings.limits(self.host.limits())).ok()
        };
        match who {
            Who::Active => entry.state.active.as_ref().and_then(load),
            Who::Canary => entry.state.canary.as_ref().and_then(|canary| load(&canary.composition)),
            Who::Before => {
                let before = self.store.entries_before(&self.slot, entry).ok()?;
                // One that was not judged there was gone back to only if its modules were there.
                let loaded = |(entry, is_judged): &(Entry, bool)| {
                    let ensemble = entry.state.active.as_ref().and_then(load);
                    (*is_judged || ensemble.is_some()).then_some(ensemble)
                };
                before.iter().find_map(loaded)?
            }
        }
    }
}

/// What is recorded of a case that modules had a say in.
fn of_modules(case: &Case) -> Result<&Recorded, Obstacle> {
    let recorded = case.recorded.as_ref().ok_or(Obstacle::ModuleMissing)?;
    let codes = [recorded.outcome.error_code(), recorded.fault.as_deref().and_then(code_of)];
    match codes.into_iter().flatten().find_map(|code| is_beside_modules(&code)) {
        Some(obstacle) => Err(obstacle),
        None => Ok(recorded),
    }
}

/// Who was asked first. Where somebody stood in, the record does not say for whom; the run does.
fn first(entry: &Entry, case: &Case, recorded: &Recorded) -> Who {
    let is_canary = match &recorded.by {
        by if by == By::Active.as_str() => false,
        by if by == By::Canary.as_str() => true,
        _ => entry.state.canary.as_ref().is_some_and(|canary| {
            is_of_canary(&entry.slot, case.operation, case.input.as_bytes(), canary.permille)
        }),
    };
    if is_canary { Who::Canary } else { Who::Active }
}
