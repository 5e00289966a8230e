//! The version that decides again: the built-in engine, a policy, a module, a composition of a slot, or the recorded version. The last
//! has the modules of a record's entry of the history, with the same handling of faults.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use adjudicate_core::{Error, Operation, Policy};
use adjudicate_sandbox::{Digest, Host, Limits, Module, SingleFlight};
use adjudicate_trust::redaction::without_member;

use super::{
    case::{Recorded, ReevaluationCase},
    outcome::{LabeledOutcome, Obstacle, code_of, obstacle_of},
};
use crate::{
    codes,
    history::{Composition, SlotEntry},
    record::DecidedBy,
    slot::{Deployment, Fallback, answer_after_fault, is_of_canary},
    store::Store,
};

/// A version that decides again.
#[derive(Clone, Debug)]
pub enum CandidateVersion {
    /// The built-in engine, with the policy of the call.
    Engine,
    /// The built-in engine, with this policy instead of the policy of the call.
    Policy(Box<Policy>),
    /// A module.
    Module(Module),
    /// A composition, as a slot has it.
    Composition(Arc<Deployment>),
    /// For each record, the version that decided it.
    Recorded(Arc<RecordedVersions>),
}

impl CandidateVersion {
    /// Returns the active composition of an entry of a slot's history, with the limits of that time. Trust is not checked, because
    /// nothing becomes active.
    ///
    /// # Errors
    ///
    /// [`codes::SLOT_EMPTY`] if the entry has none; the errors of the store and of [`Host::load`].
    pub fn of_entry(store: &Store, host: &Host, entry: &SlotEntry) -> Result<Self, Error> {
        let composition = entry.state.active.as_ref().ok_or_else(|| {
            let message = format!("no module was active in entry {} of the slot `{}`", entry.id, entry.slot);
            Error::new(codes::SLOT_EMPTY, message)
        })?;
        let deployment = load(store, host, composition, entry.settings.limits(host.limits()))?;
        Ok(Self::Composition(Arc::new(deployment)))
    }

    /// Returns, for each record of a slot, the version that decided it: the modules of its entry of the slot's history.
    #[must_use]
    pub fn recorded(store: Store, host: Host, slot: &str) -> Self {
        Self::Recorded(Arc::new(RecordedVersions::new(store, host, slot)))
    }

    /// Returns whether the answer to a record must be the same, byte for byte.
    #[must_use]
    pub const fn is_exact(&self) -> bool {
        matches!(self, Self::Recorded(_))
    }

    /// Decides a case again.
    ///
    /// # Errors
    ///
    /// The reason for which the case cannot be decided again.
    pub fn decide(&self, case: &ReevaluationCase) -> Result<LabeledOutcome, Obstacle> {
        let operation = case.operation;
        let input = case.input.as_bytes();
        let answer = match self {
            Self::Engine => operation.call(input).map_err(|error| error.to_json()),
            Self::Policy(policy) => {
                answer_with_policy(policy, operation, input).map_err(|error| error.to_json())
            }
            Self::Module(module) => module.call(operation, input).map_err(|error| error.to_json()),
            Self::Composition(deployment) => {
                deployment.answer(operation, input).map_err(|failed| failed.error.to_json())
            }
            Self::Recorded(versions) => return versions.decide(case),
        };
        Ok(LabeledOutcome::new(operation, answer))
    }
}

/// Answers a call under a policy, which replaces the policy of the call.
fn answer_with_policy(policy: &Policy, operation: Operation, input: &[u8]) -> Result<String, Error> {
    // `check_policy` has the policy as its input; other operations do not use one.
    let uses_policy = operation.documents().contains(&"policy") && operation != Operation::CheckPolicy;
    if !uses_policy {
        return operation.call(input);
    }
    let tape = operation.read(input)?;
    let root = tape.root();
    let has_own_policy = root.member("envelope").is_some() && root.member("policy").is_some();
    match has_own_policy {
        true => operation.call_with(without_member(root, "policy").as_bytes(), Some(policy)),
        false => operation.call_with(input, Some(policy)),
    }
}

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

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum DeploymentKey {
    Active,
    Canary,
    /// The modules of an earlier entry.
    Before(Vec<Digest>),
}

impl RecordedVersions {
    fn new(store: Store, host: Host, slot: &str) -> Self {
        let (entries, loaded) = (nothing_found(), nothing_found());
        Self { store, host, slot: slot.to_owned(), entries, loaded }
    }

    /// Decides a call as it was decided then. If a module fails, the slot's handling of faults is repeated: the last good version
    /// answers, or the decision is fail-closed.
    fn decide(&self, case: &ReevaluationCase) -> Result<LabeledOutcome, Obstacle> {
        let recorded = of_modules(case)?;
        let id = recorded.entry;
        let entry = find(&self.entries, id, || self.store.entry(&self.slot, id).ok())?;
        let (operation, input) = (case.operation, case.input.as_bytes());
        let first = first(&entry, case, recorded);
        let deployment = self.deployment(&entry, first.clone())?;
        let failed = match deployment.answer(operation, input) {
            Ok(answer) => return Ok(LabeledOutcome::new(operation, Ok(answer))),
            Err(failed) => failed,
        };
        // If the last good version did not answer then, it is not called now, because it may have been untrusted.
        let last_good = match recorded.by == DecidedBy::LastGood {
            true if first == DeploymentKey::Canary => Some(self.deployment(&entry, DeploymentKey::Active)?),
            true => Some(self.deployment(&entry, DeploymentKey::Before(recorded.modules.clone()))?),
            false => None,
        };
        let stand_ins = last_good.as_deref().map(|last_good| Fallback { first: &deployment, last_good });
        let answer = answer_after_fault(&entry, stand_ins, operation, input, failed);
        Ok(LabeledOutcome::new(
            operation,
            answer.map(|decided| decided.text).map_err(|error| error.to_json()),
        ))
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
fn load(store: &Store, host: &Host, composition: &Composition, limits: Limits) -> Result<Deployment, Error> {
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
