//! Who is asked: the engine built in, a policy, a module, a composition of a slot, or whoever it was when a call was recorded.

use std::{collections::BTreeMap, sync::Arc};

use adjudicate_core::{Error, Operation, Policy};
use adjudicate_sandbox::{Digest, Host, Limits, Module};

use super::{
    case::{Case, Obstacle},
    description::{Description, Modules},
    outcome::Outcome,
    recorded::RecordedVersions,
};
use crate::{
    codes,
    history::{Composition, Entry},
    record,
    slot::Deployment,
    store::Store,
};

/// Who decides again.
#[derive(Clone, Debug)]
pub enum Version {
    /// The engine built in, with whatever policy a call brings.
    Engine,
    /// The engine built in, with this policy in place of the one that a call brings.
    Policy(Box<Policy>),
    /// A module.
    Module(Module),
    /// A composition, such as a slot has.
    Composition(Arc<Deployment>),
    /// For each record, whoever decided it.
    Recorded(Arc<RecordedVersions>),
}

impl Version {
    /// The composition that an entry of a slot's history put in force, under the limits of that time. Whether its modules are trusted
    /// now is not asked: nothing is put in force.
    ///
    /// # Errors
    ///
    /// [`codes::SLOT_EMPTY`] if there was none; those of the store and of [`Host::load`].
    pub fn of_entry(store: &Store, host: &Host, entry: &Entry) -> Result<Self, Error> {
        let composition = entry.state.active.as_ref().ok_or_else(|| {
            let message = format!("nothing was active in entry {} of the slot `{}`", entry.id, entry.slot);
            Error::new(codes::SLOT_EMPTY, message)
        })?;
        let deployment = load(store, host, composition, entry.settings.limits(host.limits()))?;
        Ok(Self::Composition(Arc::new(deployment)))
    }

    /// For each record of a slot, whoever decided it: the modules that its entry of the slot's history names.
    #[must_use]
    pub fn recorded(store: Store, host: Host, slot: &str) -> Self {
        Self::Recorded(Arc::new(RecordedVersions::new(store, host, slot)))
    }

    /// Whether a record must come out byte for byte.
    #[must_use]
    pub const fn is_exact(&self) -> bool {
        matches!(self, Self::Recorded(_))
    }

    /// Who decides a call, as another host can be told.
    ///
    /// # Errors
    ///
    /// Why it cannot be decided again.
    pub fn describe(&self, case: &Case) -> Result<Description, Obstacle> {
        Ok(match self {
            Self::Engine => Description::Engine,
            Self::Policy(policy) => Description::Policy(policy.digest().to_owned()),
            Self::Module(module) => Description::Modules(Box::new(Modules::of_module(module))),
            Self::Composition(deployment) => {
                Description::Modules(Box::new(Modules::of_deployment(deployment)))
            }
            Self::Recorded(versions) => {
                Description::Modules(Box::new(Modules::of_deployment(&*versions.of(case)?)))
            }
        })
    }

    /// What a call comes to.
    ///
    /// # Errors
    ///
    /// Why it cannot be decided again.
    pub fn decide(&self, case: &Case) -> Result<Outcome, Obstacle> {
        let Case { operation, input, .. } = case;
        let native = |answer: Result<String, Error>| match answer {
            Ok(answer) => Outcome::answered(*operation, answer),
            Err(error) => Outcome::failed(error.to_json()),
        };
        Ok(match self {
            Self::Engine => native(operation.call(input.as_bytes())),
            Self::Policy(policy) => native(under(policy, *operation, input)),
            Self::Module(module) => match module.call(*operation, input.as_bytes()) {
                Ok(answer) => Outcome::answered(*operation, answer),
                Err(error) => Outcome::failed(error.to_json()),
            },
            Self::Composition(deployment) => ask(deployment, case),
            Self::Recorded(versions) => versions.decide(case)?,
        })
    }
}

fn ask(deployment: &Deployment, case: &Case) -> Outcome {
    match deployment.answer(case.operation, case.input.as_bytes()) {
        Ok(answer) => Outcome::answered(case.operation, answer),
        Err(failed) => Outcome::failed(failed.error.to_json()),
    }
}

/// The answer to a call under a policy, which takes the place of the one that it brings.
fn under(policy: &Policy, operation: Operation, input: &str) -> Result<String, Error> {
    // A policy is what `check_policy` is about, and no other operation has it say anything.
    let has_say = operation.documents().contains(&"policy") && operation != Operation::CheckPolicy;
    if !has_say {
        return operation.call(input.as_bytes());
    }
    let tape = operation.read(input.as_bytes())?;
    let root = tape.root();
    let brings_one = root.member("envelope").is_some() && root.member("policy").is_some();
    match brings_one {
        true => operation.call_with(record::without_member(root, "policy").as_bytes(), Some(policy)),
        false => operation.call_with(input.as_bytes(), Some(policy)),
    }
}

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
