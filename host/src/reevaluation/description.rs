//! The description of a version for another host: modules by digest, and their limits.

use adjudicate_core::document::Document;
use adjudicate_sandbox::{Digest, Limits, Module};
use serde::Serialize;

use crate::{
    history::{Composition, OwnLimits},
    slot::Deployment,
};

/// The description of the version that decides a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Description {
    /// The built-in engine.
    Engine,
    /// The built-in engine, with the policy of this digest: [`Policy::digest`](adjudicate_core::Policy::digest).
    Policy(String),
    /// Modules.
    Modules(Box<Modules>),
}

/// A composition of one or more modules, and their limits. Every host that loads them from this description gets the same answers.
///
/// As JSON: `{"composition": {"base": {"module": digest}, "override"?, "restrict"?}, "limits": {...}, "known"?: [digest, ...]}`, with
/// the composition and all seven limits as slots have them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Document, Serialize)]
#[document(expecting = "an object with a composition and limits")]
pub struct Modules {
    pub(super) composition: Composition,
    pub(super) limits: OwnLimits,
    /// The modules that ran without fuel, because the host knew them as engines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) known: Vec<Digest>,
}

impl Modules {
    pub(super) fn of_module(module: &Module) -> Self {
        Self::new(Composition::new(module.digest()), module.limits(), [module].into_iter())
    }

    pub(super) fn of_deployment(deployment: &Deployment) -> Self {
        let limits = deployment.modules().next().map_or_else(Limits::default, |base| *base.limits());
        Self::new(deployment.composition.clone(), &limits, deployment.modules())
    }

    fn new<'a>(
        mut composition: Composition,
        limits: &Limits,
        modules: impl Iterator<Item = &'a Module>,
    ) -> Self {
        let mut known: Vec<Digest> = modules.filter(|it| it.is_known()).map(Module::digest).collect();
        known.sort_unstable();
        known.dedup();
        // Each host decides itself which modules need no signature.
        let others = composition.overrides.iter_mut().chain(&mut composition.restrictions);
        [&mut composition.base].into_iter().chain(others).for_each(|member| member.unsigned = false);
        Self { composition, limits: OwnLimits::from_limits(limits), known }
    }

    /// Returns the digests of the modules, each once.
    #[must_use]
    pub fn digests(&self) -> Vec<Digest> {
        let mut digests: Vec<Digest> = self.composition.members().map(|member| member.module).collect();
        digests.sort_unstable();
        digests.dedup();
        digests
    }
}
