//! `evaluate` with an override and restrictions (docs/reference/policies.md).
//!
//! Loads the members. `adjudicate-trust` calls them, as it does for slots.

use adjudicate_core::Policy;
use adjudicate_trust::{CallableModule, ComposedMember, compose};

use crate::{
    environment::Environment,
    evaluator::{self, EvaluatorAnswer, Sandbox},
    failure::Failure,
    input::Source,
};

/// The members except the base.
#[derive(Debug, Default)]
pub(crate) struct Composition {
    overrides: Option<LoadedMember>,
    restrictions: Vec<LoadedMember>,
}

/// A member, loaded.
#[derive(Debug)]
enum LoadedMember {
    Policy(Box<Policy>),
    Module(Box<dyn CallableModule>),
}

impl Composition {
    pub(crate) fn load(
        overriding: Option<&Source>,
        restricting: &[Source],
        sandbox: &Sandbox,
        env: &Environment,
    ) -> Result<Self, Failure> {
        let load = |source| LoadedMember::load(source, sandbox, env);
        Ok(Self {
            overrides: overriding.map(load).transpose()?,
            restrictions: restricting.iter().map(load).collect::<Result<_, _>>()?,
        })
    }

    /// Composes the answer of the base to a call with the answers of all other members to its envelope.
    pub(crate) fn compose(&self, input: &[u8], base: EvaluatorAnswer<'_>) -> Result<String, Failure> {
        if self.overrides.is_none() && self.restrictions.is_empty() {
            return Ok(base.into_text());
        }
        let overrides = self.overrides.as_ref().map(LoadedMember::as_member);
        let restrictions = self.restrictions.iter().map(LoadedMember::as_member);
        let composed = compose(base.base(), input, base.text(), overrides, restrictions);
        composed.map_err(|failed| failed.error.into())
    }
}

impl LoadedMember {
    /// Loads a module if the name of the file ends in `.wasm`, else reads a policy document.
    fn load(source: &Source, sandbox: &Sandbox, env: &Environment) -> Result<Self, Failure> {
        match source.module() {
            Some(path) => evaluator::load_member(path, sandbox, env).map(Self::Module),
            None => Ok(Self::Policy(Box::new(source.policy(None, env)?))),
        }
    }

    fn as_member(&self) -> ComposedMember<'_> {
        match self {
            Self::Policy(policy) => ComposedMember::Policy(policy),
            Self::Module(module) => ComposedMember::Module(&**module),
        }
    }
}
