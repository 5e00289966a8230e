//! The version that decides again: the built-in engine, a policy, a module, a composition of a slot, or the recorded version.

use std::sync::Arc;

use adjudicate_core::{Error, Operation, Policy};
use adjudicate_sandbox::{Host, Module};
use adjudicate_trust::redaction::without_member;

use super::{
    case::ReevaluationCase,
    obstacle::Obstacle,
    outcome::LabeledOutcome,
    recorded::{RecordedVersions, load},
};
use crate::{codes, history::SlotEntry, slot::Deployment, store::Store};

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
        let ReevaluationCase { operation, input, .. } = case;
        let native = |answer: Result<String, Error>| match answer {
            Ok(answer) => LabeledOutcome::answered(*operation, answer),
            Err(error) => LabeledOutcome::failed(error.to_json()),
        };
        Ok(match self {
            Self::Engine => native(operation.call(input.as_bytes())),
            Self::Policy(policy) => native(answer_with_policy(policy, *operation, input)),
            Self::Module(module) => match module.call(*operation, input.as_bytes()) {
                Ok(answer) => LabeledOutcome::answered(*operation, answer),
                Err(error) => LabeledOutcome::failed(error.to_json()),
            },
            Self::Composition(deployment) => call_deployment(deployment, case),
            Self::Recorded(versions) => versions.decide(case)?,
        })
    }
}

fn call_deployment(deployment: &Deployment, case: &ReevaluationCase) -> LabeledOutcome {
    match deployment.answer(case.operation, case.input.as_bytes()) {
        Ok(answer) => LabeledOutcome::answered(case.operation, answer),
        Err(failed) => LabeledOutcome::failed(failed.error.to_json()),
    }
}

/// Answers a call under a policy, which replaces the policy of the call.
fn answer_with_policy(policy: &Policy, operation: Operation, input: &str) -> Result<String, Error> {
    // `check_policy` has the policy as its input; other operations do not use one.
    let uses_policy = operation.documents().contains(&"policy") && operation != Operation::CheckPolicy;
    if !uses_policy {
        return operation.call(input.as_bytes());
    }
    let tape = operation.read(input.as_bytes())?;
    let root = tape.root();
    let has_own_policy = root.member("envelope").is_some() && root.member("policy").is_some();
    match has_own_policy {
        true => operation.call_with(without_member(root, "policy").as_bytes(), Some(policy)),
        false => operation.call_with(input.as_bytes(), Some(policy)),
    }
}
