//! A composition that is loaded: modules, ready to be asked together.

use adjudicate_core::{Error, Operation, codes::Subject, evaluate::AnswerText};
use adjudicate_sandbox::{CallError, Carried, Digest, Failed, Module, SandboxMember, ask, compose};

use crate::{
    codes,
    history::{Composition, Member},
    store::Height,
};

/// A composition whose modules are loaded.
#[derive(Clone, Debug)]
pub struct Deployment {
    pub(crate) composition: Composition,
    base: Module,
    overrides: Option<Module>,
    restrictions: Vec<Module>,
}

impl Deployment {
    /// Loads each module of a composition.
    pub(crate) fn load(
        composition: &Composition,
        load: &mut impl FnMut(&Member) -> Result<Module, Error>,
    ) -> Result<Self, Error> {
        composition.check()?;
        Ok(Self {
            composition: composition.clone(),
            base: load(&composition.base)?,
            overrides: composition.overrides.as_ref().map(&mut *load).transpose()?,
            restrictions: composition.restrictions.iter().map(load).collect::<Result<_, _>>()?,
        })
    }

    /// All modules: the base, the override, the restrictions.
    pub(crate) fn modules(&self) -> impl Iterator<Item = &Module> {
        [&self.base].into_iter().chain(&self.overrides).chain(&self.restrictions)
    }

    /// The digests of all modules.
    pub(crate) fn digests(&self) -> Vec<Digest> {
        self.modules().map(Module::digest).collect()
    }

    /// The policy document that the base carries.
    pub(crate) fn carried(&self) -> Option<Carried> {
        self.base.inspection().carried().cloned()
    }

    /// The versions that are in force with it, by name.
    pub(crate) fn heights(&self) -> Vec<Height> {
        let manifests = self.modules().map(Module::manifest);
        manifests.map(|each| Height { name: each.name.clone(), version: each.version.clone() }).collect()
    }

    /// All modules as `name version digest`.
    pub(crate) fn versions(&self) -> Vec<String> {
        let version = |module: &Module| {
            let manifest = module.manifest();
            format!("{} {} {}", manifest.name, manifest.version, module.digest())
        };
        self.modules().map(version).collect()
    }

    /// The composition's answer to a call of `evaluate`, restricted by another answer.
    pub(crate) fn restricted_by(
        &self,
        restriction: AnswerText<'_>,
        input: &[u8],
        answer: &str,
    ) -> Result<String, Failed> {
        compose(Some((&self.base).into()), input, answer, None, [SandboxMember::Answer(restriction)])
    }

    /// The answer of all to `evaluate`, of the base to everything else.
    pub(crate) fn answer(&self, operation: Operation, input: &[u8]) -> Result<String, Failed> {
        let answer = ask(&self.base, operation, input)?;
        let is_alone = self.overrides.is_none() && self.restrictions.is_empty();
        if is_alone || operation != Operation::Evaluate {
            return Ok(answer);
        }
        let overrides = self.overrides.as_ref().map(SandboxMember::Module);
        let base = Some((&self.base).into());
        compose(base, input, &answer, overrides, self.restrictions.iter().map(SandboxMember::Module))
    }
}

/// The fault, if a module failed or could not be asked, and the slot does something about that. That there was no room for
/// the call, or that the input is too large, is for the caller to know. Whether a fault speaks against the module is another
/// matter: [`FaultRate::COUNTED`](crate::FaultRate::COUNTED).
pub(super) fn fault(failed: &Failed) -> Option<&Error> {
    match &failed.error {
        CallError::Fault(error) => {
            let is_callers = matches!(error.code(), codes::HOST_OVERLOADED | codes::MODULE_INPUT_TOO_LARGE);
            Some(error).filter(|error| error.code().subject() == Subject::Module && !is_callers)
        }
        CallError::Reported(_) => None,
    }
}
