//! A loaded composition: its modules, ready for calls.

use adjudicate_core::{Error, Operation, codes::Subject, evaluate::AnswerText};
use adjudicate_sandbox::{CallError, Digest, EmbeddedPolicy, Module};
use adjudicate_trust::{ComposedMember, MemberFailure, call_module, compose};

use crate::{
    codes,
    history::{ComposedModule, Composition},
    store::ActiveVersion,
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
    pub(crate) fn load(
        composition: &Composition,
        load: &mut impl FnMut(&ComposedModule) -> Result<Module, Error>,
    ) -> Result<Self, Error> {
        composition.check()?;
        Ok(Self {
            composition: composition.clone(),
            base: load(&composition.base)?,
            overrides: composition.overrides.as_ref().map(&mut *load).transpose()?,
            restrictions: composition.restrictions.iter().map(load).collect::<Result<_, _>>()?,
        })
    }

    /// Returns all modules: the base, the override, the restrictions.
    pub(crate) fn modules(&self) -> impl Iterator<Item = &Module> {
        [&self.base].into_iter().chain(&self.overrides).chain(&self.restrictions)
    }

    pub(crate) fn digests(&self) -> Vec<Digest> {
        self.modules().map(Module::digest).collect()
    }

    pub(crate) fn embedded_policy(&self) -> Option<EmbeddedPolicy> {
        self.base.inspection().embedded_policy().cloned()
    }

    /// Returns the name and version of each module, which are active with this deployment.
    pub(crate) fn active_versions(&self) -> Vec<ActiveVersion> {
        let manifests = self.modules().map(Module::manifest);
        manifests
            .map(|each| ActiveVersion { name: each.name.to_string(), version: each.version.0.clone() })
            .collect()
    }

    /// Returns all modules as `name version digest`.
    pub(crate) fn versions(&self) -> Vec<String> {
        let version = |module: &Module| {
            let manifest = module.manifest();
            format!("{} {} {}", manifest.name, manifest.version, module.digest())
        };
        self.modules().map(version).collect()
    }

    /// Restricts the composition's answer to a call of `evaluate` by another answer.
    pub(crate) fn restricted_by(
        &self,
        restriction: AnswerText<'_>,
        input: &[u8],
        answer: &str,
    ) -> Result<String, MemberFailure> {
        compose(Some((&self.base).into()), input, answer, None, [ComposedMember::Answer(restriction)])
    }

    /// Calls the modules. All members answer `evaluate`; the base alone answers other operations.
    pub(crate) fn answer(&self, operation: Operation, input: &[u8]) -> Result<String, MemberFailure> {
        let answer = call_module(&self.base, operation, input)?;
        let is_alone = self.overrides.is_none() && self.restrictions.is_empty();
        if is_alone || operation != Operation::Evaluate {
            return Ok(answer);
        }
        let overrides = self.overrides.as_ref().map(member);
        let base = Some((&self.base).into());
        compose(base, input, &answer, overrides, self.restrictions.iter().map(member))
    }
}

const fn member(module: &Module) -> ComposedMember<'_> {
    ComposedMember::Module(module)
}

/// Returns the error if it is a fault for the slot to handle: a module failed or could not be called. `host_overloaded` and
/// `module_input_too_large` are errors for the caller. For the faults that count against a module, see
/// [`FaultRate::COUNTED`](crate::FaultRate::COUNTED).
pub(super) fn fault(failed: &MemberFailure) -> Option<&Error> {
    match &failed.error {
        CallError::Fault(error) => {
            let is_callers = matches!(error.code(), codes::HOST_OVERLOADED | codes::MODULE_INPUT_TOO_LARGE);
            Some(error).filter(|error| error.code().subject() == Subject::Module && !is_callers)
        }
        CallError::Reported(_) => None,
    }
}
