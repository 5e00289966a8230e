//! The version that decided a record: the modules of its entry of the history, with the same handling of faults.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use adjudicate_core::Error;
use adjudicate_sandbox::{Digest, Host, Limits, Module, SingleFlight};

use super::{
    case::{Recorded, ReevaluationCase},
    obstacle::Obstacle,
    outcome::{LabeledOutcome, code_of, obstacle_of},
};
use crate::{
    history::{Composition, SlotEntry},
    record::DecidedBy,
    slot::{Deployment, Fallback, answer_after_fault, is_of_canary},
    store::Store,
};

/// The versions that decided the records of a slot, each loaded when it is first needed.
#[derive(Debug)]
pub struct RecordedVersions {
    store: Store,
    host: Host,
    slot: String,
    entries: LookupCache<i64, SlotEntry>,
    loaded: LookupCache<(i64, DeploymentKey), Deployment>,
}

/// A cache of values that are looked up once for all cases; `None` for a value that does not exist or cannot be loaded.
type LookupCache<K, T> = SingleFlight<K, Option<Arc<T>>>;

const fn nothing_found<K: Ord + Clone, T>() -> LookupCache<K, T> {
    SingleFlight::new(usize::MAX, Duration::MAX)
}

/// Returns the cached value of a key, or looks it up.
fn find<K: Ord + Clone, T>(
    found: &LookupCache<K, T>,
    key: K,
    look: impl FnOnce() -> Option<T>,
) -> Result<Arc<T>, Obstacle> {
    found.get(key, || Ok(look().map(Arc::new))).ok().flatten().ok_or(Obstacle::ModuleMissing)
}

/// A deployment of an entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum DeploymentKey {
    Active,
    Canary,
    /// The modules of an earlier entry.
    Before(Vec<Digest>),
}

impl RecordedVersions {
    pub(super) fn new(store: Store, host: Host, slot: &str) -> Self {
        let (entries, loaded) = (nothing_found(), nothing_found());
        Self { store, host, slot: slot.to_owned(), entries, loaded }
    }

    /// Decides a call as it was decided then. If a module fails, the slot's handling of faults is repeated: the last good version
    /// answers, or the decision is fail-closed.
    pub(super) fn decide(&self, case: &ReevaluationCase) -> Result<LabeledOutcome, Obstacle> {
        let recorded = of_modules(case)?;
        let entry = self.entry(recorded.entry)?;
        let (operation, input) = (case.operation, case.input.as_bytes());
        let first = first(&entry, case, recorded);
        let deployment = self.deployment(&entry, first.clone())?;
        let failed = match deployment.answer(operation, input) {
            Ok(answer) => return Ok(LabeledOutcome::answered(operation, answer)),
            Err(failed) => failed,
        };
        // If the last good version did not answer then, it is not called now, because it may have been untrusted.
        let last_good = match recorded.by == DecidedBy::LastGood {
            true if first == DeploymentKey::Canary => Some(self.deployment(&entry, DeploymentKey::Active)?),
            true => Some(self.deployment(&entry, DeploymentKey::Before(recorded.modules.clone()))?),
            false => None,
        };
        let stand_ins = last_good.as_deref().map(|last_good| Fallback { first: &deployment, last_good });
        Ok(match answer_after_fault(&entry, stand_ins, operation, input, failed) {
            Ok(decided) => LabeledOutcome::answered(operation, decided.text),
            Err(error) => LabeledOutcome::failed(error.to_json()),
        })
    }

    fn entry(&self, id: i64) -> Result<Arc<SlotEntry>, Obstacle> {
        find(&self.entries, id, || self.store.entry(&self.slot, id).ok())
    }

    fn deployment(&self, entry: &SlotEntry, who: DeploymentKey) -> Result<Arc<Deployment>, Obstacle> {
        find(&self.loaded, (entry.id, who.clone()), || self.load(entry, &who))
    }

    fn load(&self, entry: &SlotEntry, who: &DeploymentKey) -> Option<Deployment> {
        let load = |composition: &Composition| {
            load(&self.store, &self.host, composition, entry.settings.limits(self.host.limits())).ok()
        };
        match who {
            DeploymentKey::Active => entry.state.active.as_ref().and_then(load),
            DeploymentKey::Canary => entry.state.canary.as_ref().and_then(|canary| load(&canary.composition)),
            DeploymentKey::Before(modules) => {
                let is_it = |each: &SlotEntry| {
                    let members = each.state.active.iter().flat_map(Composition::members);
                    members.map(|member| member.module).eq(modules.iter().copied())
                };
                let before = self.store.judged_before(&self.slot, entry.id, |each, _| !is_it(each)).ok()?;
                let (found, _) = before.into_iter().find(|(each, _)| is_it(each))?;
                found.state.active.as_ref().and_then(load)
            }
        }
    }
}

/// The record of a case, if modules decided it.
fn of_modules(case: &ReevaluationCase) -> Result<&Recorded, Obstacle> {
    let recorded = case.recorded.as_ref().ok_or(Obstacle::ModuleMissing)?;
    let codes = [recorded.outcome.error_code(), recorded.fault.as_deref().and_then(code_of)];
    match codes.into_iter().flatten().find_map(|code| obstacle_of(&code)) {
        Some(obstacle) => Err(obstacle),
        None => Ok(recorded),
    }
}

/// Returns the deployment that was called first. A record of a fallback does not name it, but the run determines it.
fn first(entry: &SlotEntry, case: &ReevaluationCase, recorded: &Recorded) -> DeploymentKey {
    let is_canary = match recorded.by {
        DecidedBy::Active => false,
        DecidedBy::Canary => true,
        DecidedBy::LastGood | DecidedBy::FailClosed => entry.state.canary.as_ref().is_some_and(|canary| {
            is_of_canary(&entry.slot, case.operation, case.input.as_bytes(), canary.permille)
        }),
    };
    if is_canary { DeploymentKey::Canary } else { DeploymentKey::Active }
}

/// Loads a composition from the store, each module once.
pub(super) fn load(
    store: &Store,
    host: &Host,
    composition: &Composition,
    limits: Limits,
) -> Result<Deployment, Error> {
    let mut loaded: BTreeMap<Digest, Module> = BTreeMap::new();
    Deployment::load(composition, &mut |member| {
        if let Some(module) = loaded.get(&member.module) {
            return Ok(module.clone());
        }
        let module = host.load_with(&store.module_bytes(member.module)?, limits)?;
        loaded.insert(member.module, module.clone());
        Ok(module)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_that_cannot_be_loaded_is_not_loaded_again_for_each_record() {
        let found = nothing_found();
        assert_eq!(find(&found, 1, || None), Err(Obstacle::ModuleMissing));
        assert_eq!(find(&found, 1, || Some(1)), Err(Obstacle::ModuleMissing));
        assert_eq!(find(&found, 2, || Some(2)), Ok(Arc::new(2)));
    }
}
