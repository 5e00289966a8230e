//! `evaluate` with several policies and modules at once: what restricts, and what overrides (SPEC section 3.8).
//!
//! Reads who has a say. Asking them is the host's library, which slots are asked by, too.

use adjudicate_core::Policy;
use adjudicate_sandbox::{Module, Voice, compose};

use crate::{
    evaluator::{self, Said, Sandbox},
    failure::Failure,
    input::Source,
};

/// Who has a say beside the base.
#[derive(Debug, Default)]
pub(crate) struct Composition {
    overriding: Option<Member>,
    restricting: Vec<Member>,
}

/// Somebody who evaluates.
#[derive(Debug)]
enum Member {
    Policy(Box<Policy>),
    Module(Module),
}

impl Composition {
    pub(crate) fn load(
        overriding: Option<&Source>,
        restricting: &[Source],
        sandbox: &Sandbox,
    ) -> Result<Self, Failure> {
        let load = |source| Member::load(source, sandbox);
        Ok(Self {
            overriding: overriding.map(load).transpose()?,
            restricting: restricting.iter().map(load).collect::<Result<_, _>>()?,
        })
    }

    /// Composes the answer of the base to a call with those of all others to its envelope.
    pub(crate) fn compose(&self, input: &[u8], base: Said<'_>) -> Result<String, Failure> {
        if self.overriding.is_none() && self.restricting.is_empty() {
            return Ok(base.into_text());
        }
        let overriding = self.overriding.as_ref().map(Member::voice);
        let restricting = self.restricting.iter().map(Member::voice);
        let composed = compose(base.base(), input, base.text(), overriding, restricting);
        composed.map_err(|failed| failed.error.into())
    }
}

impl Member {
    /// Reads a module if the name ends so, else a policy document.
    fn load(source: &Source, sandbox: &Sandbox) -> Result<Self, Failure> {
        match source.module() {
            Some(path) => evaluator::load(path, sandbox).map(Self::Module),
            None => Ok(Self::Policy(Box::new(source.policy(None)?))),
        }
    }

    const fn voice(&self) -> Voice<'_> {
        match self {
            Self::Policy(policy) => Voice::Policy(policy),
            Self::Module(module) => Voice::Module(module),
        }
    }
}
