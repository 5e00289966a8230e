//! The evaluator of a call: the built-in engine, a module in the sandbox, or a slot. The same input gives the same bytes.

use std::path::{Path, PathBuf};

use adjudicate_core::{Error, Operation, verdict::VerdictModule};
use adjudicate_host::{Slot, SlotAnswer};
use adjudicate_sandbox::{Cache, Host, HostSettings, Limits, Module};
use adjudicate_trust::{Base, CallableModule};

use crate::{
    codes, compiler, directories,
    environment::Environment,
    failure::Failure,
    input,
    known_engine::{KnownEngine, KnownEngines},
    store_location::{self, StoreLocation},
};
use clap::Args;

/// The options that choose the evaluator and its limits.
#[derive(Debug, Args)]
pub(crate) struct Sandbox {
    /// Let this policy module decide, in a sandbox, instead of the built-in engine
    #[arg(long, value_name = "FILE")]
    pub(crate) module: Option<PathBuf>,
    /// Let the active composition of this slot of the store decide
    #[arg(long, value_name = "SLOT", conflicts_with = "module")]
    pub(crate) slot: Option<String>,
    #[command(flatten)]
    pub(crate) location: StoreLocation,
    /// Trust this engine: it runs without fuel and deadline, and its answers are not checked
    ///
    /// Name the engine by its digest or its file. With a file, modules that contain this engine and a policy are trusted,
    /// too.
    #[arg(long, value_name = "DIGEST|FILE")]
    pub(crate) known_engine: Vec<KnownEngine>,
    /// The fuel for each call, about one unit per instruction
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) fuel: Option<u64>,
    /// Do not cache the compiled module
    #[arg(long)]
    pub(crate) no_cache: bool,
}

impl Sandbox {
    /// Refuses options that need a slot or a module if there is none; `has_module` is true if another argument is a module.
    pub(crate) fn check(&self, has_module: bool) -> Result<(), Error> {
        let wrong = |message: String| Err(Error::new(codes::WRONG_USAGE, message));
        if self.location.store.is_some() && self.slot.is_none() {
            return wrong("`--store` says where a slot is: say `--slot`, too".to_owned());
        }
        let options = [
            ("--known-engine", !self.known_engine.is_empty()),
            ("--fuel", self.fuel.is_some()),
            ("--no-cache", self.no_cache),
        ];
        match options.into_iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) if self.module.is_none() && !has_module => {
                wrong(format!("`{option}` needs a module from a file, for example `--module FILE`"))
            }
            _ => Ok(()),
        }
    }
}

/// The evaluator of calls.
#[derive(Debug)]
pub(crate) enum Evaluator {
    Native,
    Module(Module),
    Slot(Slot),
}

impl Evaluator {
    pub(crate) fn new(sandbox: &Sandbox, env: &Environment) -> Result<Self, Failure> {
        match (&sandbox.module, &sandbox.slot) {
            (Some(path), _) => load(path, sandbox, env).map(Self::Module),
            (None, Some(name)) => {
                let slots = store_location::open_slots(
                    &sandbox.location,
                    store_location::single_call_settings(),
                    env,
                )?;
                let slot = slots.slot(name);
                let slot = slot.map_err(|error| store_location::with_slots(error, name, slots.store()))?;
                Ok(Self::Slot(slot))
            }
            (None, None) => Ok(Self::Native),
        }
    }

    /// Answers one call.
    pub(crate) fn answer(&self, operation: Operation, input: &[u8]) -> Result<EvaluatorAnswer<'_>, Failure> {
        Ok(match self {
            Self::Native => EvaluatorAnswer::Native(operation.call(input)?),
            Self::Module(module) => EvaluatorAnswer::Module(module, module.call(operation, input)?),
            Self::Slot(slot) => EvaluatorAnswer::Slot(slot.name(), slot.call(operation, input)?),
        })
    }

    /// Returns true if the built-in engine decides.
    pub(crate) const fn is_native(&self) -> bool {
        matches!(self, Self::Native)
    }

    /// Calls a function with the description of the module that decides. `verdict` refuses slots, which may have several.
    pub(crate) fn with_module<T>(&self, call: impl FnOnce(VerdictModule<'_>) -> T) -> T {
        match self {
            Self::Module(module) => {
                let manifest = module.manifest();
                let version = manifest.version.0.to_string();
                call(VerdictModule { name: &manifest.name, version: &version, digest: Some(module.digest()) })
            }
            Self::Native | Self::Slot(_) => call(VerdictModule::ENGINE),
        }
    }

    /// Writes queued records and differences of shadows.
    pub(crate) fn close(&self) -> Result<(), Failure> {
        match self {
            Self::Native | Self::Module(_) => Ok(()),
            Self::Slot(slot) => Ok(slot.slots().close()?),
        }
    }
}

/// An answer with its evaluator.
#[derive(Debug)]
pub(crate) enum EvaluatorAnswer<'e> {
    Native(String),
    Module(&'e Module, String),
    /// The name of the slot, and its answer. The slot may have changed since then.
    Slot(&'e str, SlotAnswer),
}

impl EvaluatorAnswer<'_> {
    /// Returns the answer as JSON text.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Native(text) | Self::Module(_, text) => text,
            Self::Slot(_, decided) => &decided.text,
        }
    }

    /// Returns the answer as JSON text.
    pub(crate) fn into_text(self) -> String {
        match self {
            Self::Native(text) | Self::Module(_, text) => text,
            Self::Slot(_, decided) => decided.text,
        }
    }

    /// Returns the evaluator as the base of a composition; `None` is the built-in engine.
    pub(crate) fn base(&self) -> Option<Base<'_>> {
        match self {
            Self::Native(_) => None,
            Self::Module(module, _) => Some((*module).into()),
            Self::Slot(name, decided) => Some(Base { name, policy: decided.policy() }),
        }
    }
}

/// Loads a module that overrides or restricts the answers of others.
pub(crate) fn load_member(
    path: &Path,
    sandbox: &Sandbox,
    env: &Environment,
) -> Result<Box<dyn CallableModule>, Failure> {
    Ok(Box::new(load(path, sandbox, env)?))
}

/// Loads a module, for one call at a time.
fn load(path: &Path, sandbox: &Sandbox, env: &Environment) -> Result<Module, Failure> {
    let defaults = Limits::default();
    let KnownEngines { digests: known_engines, modules: engines } =
        KnownEngines::read(&sandbox.known_engine, env)?;
    let settings = HostSettings {
        limits: Limits { fuel: sandbox.fuel.unwrap_or(defaults.fuel), ..defaults },
        instances: 1,
        known_engines,
        engines,
        // Without a usable cache the module is compiled each time, which is only slower.
        cache: directories::cache(env)
            .filter(|_| !sandbox.no_cache)
            .and_then(|directory| Cache::open(&directory).ok()),
        compiler: compiler::child_process(env)?,
        ..HostSettings::default()
    };
    let bytes = input::module(path, settings.limits.module_bytes, env)?;
    Ok(Host::new(settings)?.load(&bytes)?)
}
