//! The description of a version for another host: modules by digest, and their limits.

use std::sync::Arc;

use adjudicate_core::Error;
use adjudicate_sandbox::{Digest, Limits, Module};
use serde::{Deserialize, Serialize};

use super::version::Version;
use crate::{
    codes,
    history::{Composition, OwnLimits, SlotSettings},
    slot::{Deployment, Slots},
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
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Modules {
    composition: Composition,
    limits: OwnLimits,
    /// The modules that ran without fuel, because the host knew them as engines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    known: Vec<Digest>,
}

/// The highest limits that a host accepts for modules of another host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ceiling {
    /// The limits of each module.
    pub limits: Limits,
    /// Whether the modules need no signature.
    pub unsigned: bool,
}

impl Modules {
    pub(super) fn of_module(module: &Module) -> Self {
        Self::new(Composition::of(module.digest()), module.limits(), [module].into_iter())
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
        Self { composition, limits: OwnLimits::of(limits), known }
    }

    /// Returns the digests of the modules, each once.
    #[must_use]
    pub fn digests(&self) -> Vec<Digest> {
        let mut digests: Vec<Digest> = self.composition.members().map(|member| member.module).collect();
        digests.sort_unstable();
        digests.dedup();
        digests
    }

    /// Loads the modules on this host. `fetch` gets modules that the store does not have; its second argument is their highest number
    /// of bytes. The store's own trust policy judges each module: an installed one as when it is loaded, any other as when it is
    /// installed. Nothing is kept, and nothing becomes active.
    ///
    /// # Errors
    ///
    /// The errors of a module that is not trusted or cannot be loaded; [`codes::LIMIT_EXCEEDED`] for limits above the ceiling;
    /// [`codes::CLUSTER_FAULT`] if a module is known as an engine on one of the hosts and not on the other, or its bytes are not those
    /// of its digest; those of the store and of `fetch`.
    pub fn load(
        &self,
        slots: &Slots,
        ceiling: &Ceiling,
        fetch: impl FnMut(Digest, usize) -> Result<Vec<u8>, Error>,
    ) -> Result<Version, Error> {
        let limits = self.limits()?;
        let most = &ceiling.limits;
        let above = [
            ("module_bytes", limits.module_bytes > most.module_bytes),
            ("memory_bytes", limits.memory_bytes > most.memory_bytes),
            ("stack_bytes", limits.stack_bytes > most.stack_bytes),
            ("input_bytes", limits.input_bytes > most.input_bytes),
            ("output_bytes", limits.output_bytes > most.output_bytes),
            ("fuel", limits.fuel > most.fuel),
            ("deadline_ms", limits.deadline > most.deadline),
        ];
        if let Some((name, _)) = above.into_iter().find(|(_, is_above)| *is_above) {
            let message = format!("`{name}` is above what this host gives to modules of a replay");
            return Err(Error::new(codes::LIMIT_EXCEEDED, message).at(format!("/limits/{name}")));
        }
        let deployment = slots.load_borrowed(&self.composition, limits, ceiling.unsigned, fetch)?;
        for module in deployment.modules() {
            let (digest, is_known) = (module.digest(), module.is_known());
            if is_known != self.known.contains(&digest) {
                let word = if is_known { "here, and not" } else { "not here, but" };
                let message = format!(
                    "the module {digest} is known as an engine {word} where the replay was started: `--known-engine` must say the same"
                );
                return Err(Error::new(codes::CLUSTER_FAULT, message));
            }
        }
        Ok(Version::Composition(Arc::new(deployment)))
    }

    fn limits(&self) -> Result<Limits, Error> {
        let settings = SlotSettings { limits: self.limits, ..SlotSettings::default() };
        settings.check()?;
        Ok(settings.limits(&Limits::default()))
    }
}

impl Default for Ceiling {
    /// 64 MiB of a module, input and output, 1 GiB of memory, any fuel within a minute of computing; signed modules.
    fn default() -> Self {
        let limits = Limits {
            module_bytes: 64 << 20,
            memory_bytes: 1 << 30,
            stack_bytes: 1 << 20,
            input_bytes: 64 << 20,
            output_bytes: 64 << 20,
            fuel: u64::MAX,
            deadline: std::time::Duration::from_secs(60),
        };
        Self { limits, unsigned: false }
    }
}
