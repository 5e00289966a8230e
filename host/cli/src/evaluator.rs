//! Who decides: the engine built in, a module in the sandbox, or whoever a slot has in force. Same input, same bytes out.

use std::path::Path;

use adjudicate_core::Operation;
use adjudicate_host::{Cache, Host, Limits, Module, Settings, Slot};

use crate::{args::Sandbox, compiler, directories, failure::Failure, input, store};

/// Who decides.
#[derive(Debug)]
pub(crate) enum Evaluator {
    Native,
    Module(Module),
    Slot(Slot),
}

impl Evaluator {
    pub(crate) fn new(sandbox: &Sandbox) -> Result<Self, Failure> {
        match (&sandbox.module, &sandbox.slot) {
            (Some(path), _) => load(path, sandbox).map(Self::Module),
            (None, Some(name)) => Ok(Self::Slot(store::open_slots(&sandbox.place)?.slot(name)?)),
            (None, None) => Ok(Self::Native),
        }
    }

    /// The answer to one call, as JSON text.
    pub(crate) fn answer(&self, operation: Operation, input: &[u8]) -> Result<String, Failure> {
        match self {
            Self::Native => Ok(operation.call(input)?),
            Self::Module(module) => Ok(module.call(operation, input)?),
            Self::Slot(slot) => Ok(slot.call(operation, input)?.text),
        }
    }

    /// Writes what answering left to be written: records, and what shadows had to say.
    pub(crate) fn close(&self) -> Result<(), Failure> {
        match self {
            Self::Native | Self::Module(_) => Ok(()),
            Self::Slot(slot) => Ok(slot.slots().close()?),
        }
    }
}

/// Loads a module, to be called one request at a time.
pub(crate) fn load(path: &Path, sandbox: &Sandbox) -> Result<Module, Failure> {
    let defaults = Limits::default();
    let settings = Settings {
        limits: Limits { fuel: sandbox.fuel.unwrap_or(defaults.fuel), ..defaults },
        instances: 1,
        known_engines: sandbox.known_engine.iter().copied().collect(),
        // Without a usable cache the module is compiled each time, which is slower and nothing else.
        cache: directories::cache()
            .filter(|_| !sandbox.no_cache)
            .and_then(|directory| Cache::open(&directory).ok()),
        compiler: compiler::bounded()?,
        ..Settings::default()
    };
    let bytes = input::module(path, settings.limits.module_bytes)?;
    Ok(Host::new(settings)?.load(&bytes)?)
}
