//! The host: from a module's bytes to a module that can be called.

mod bake;

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use adjudicate_core::Error;

use crate::{
    cache::Cache,
    codes,
    compiled::Origin,
    compiler::{Compiler, Workshop},
    digest::Digest,
    engine::{Class, ClassEngine, Engines, Metering},
    inspect::{Inspection, inspect},
    limits::Limits,
    module::{Guest, Module},
    single_flight::SingleFlight,
};

pub use bake::ModuleLabel;

use bake::Recognition;

/// How a host is set up.
///
/// ```
/// use adjudicate_sandbox::{Host, Limits, Settings};
/// let settings = Settings { instances: 1, limits: Limits { fuel: 1_000_000, ..Limits::default() }, ..Settings::default() };
/// let host = Host::new(settings)?;
/// assert_eq!(host.limits().fuel, 1_000_000);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Settings {
    /// What each module may use that is not loaded with limits of its own.
    pub limits: Limits,
    /// How many instances may live at once, of all modules together; one more may while a module is loaded. Default:
    /// four for each processor, at least 64.
    pub instances: u32,
    /// How long a call waits for a free instance. Default 1 s.
    pub wait: Duration,
    /// Modules by digest that are trusted engines, such as the one this project builds, and policies that are baked into
    /// it: they count their own steps, so they run without fuel and deadline, and their answers are not checked. Memory,
    /// stack, input and output stay bounded. A host takes no module's word for being one, whatever engine its manifest
    /// names: it trusts the digests that are listed here and no others. So list what you built yourself, or what comes
    /// from where you would take the host from. Default: none.
    pub known_engines: BTreeSet<Digest>,
    /// Engines that are known by their bytes. They are known as those in `known_engines` are, and so are policies that are
    /// baked into them, whoever baked them: a module that carries its policy is baked again when it is loaded, and is known if
    /// that gives the same bytes. That takes as long as loading the engine and reading the policy, once for each module.
    /// Default: none.
    pub engines: Vec<Arc<[u8]>>,
    /// Where compiled modules are kept. Default: nowhere.
    pub cache: Option<Cache>,
    /// Who compiles modules. Default: this process.
    pub compiler: Compiler,
}

impl Default for Settings {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let instances = u32::try_from(processors.saturating_mul(4)).unwrap_or(u32::MAX).clamp(64, 1024);
        Self {
            limits: Limits::default(),
            instances,
            wait: Duration::from_secs(1),
            known_engines: BTreeSet::new(),
            engines: Vec::new(),
            cache: None,
            compiler: Compiler::InProcess,
        }
    }
}

/// Loads modules. What it loads lives on without it.
#[derive(Debug)]
pub struct Host {
    settings: Settings,
    engines: Engines,
    workshop: Workshop,
    recognition: Recognition,
    /// What is compiled now.
    compiling: SingleFlight<(Digest, Class), wasmtime::Module>,
}

impl Host {
    /// A host with these settings.
    ///
    /// # Errors
    ///
    /// [`codes::WRONG_USAGE`] for limits that cannot work.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        settings.limits.check()?;
        if settings.instances == 0 {
            return Err(Error::new(codes::WRONG_USAGE, "a host needs room for one instance or more"));
        }
        let engines = Engines::new(settings.instances, settings.wait);
        let workshop = Workshop::new(settings.compiler.clone())?;
        let recognition = Recognition::new(settings.engines.clone());
        let compiling = SingleFlight::new(0, Duration::ZERO);
        Ok(Self { settings, engines, workshop, recognition, compiling })
    }

    pub(crate) const fn recognition(&self) -> &Recognition {
        &self.recognition
    }

    /// The limits of every module that this host loads without limits of its own.
    #[must_use]
    pub const fn limits(&self) -> &Limits {
        &self.settings.limits
    }

    /// Loads a module under the host's own limits: [`load_with`](Self::load_with) says how.
    ///
    /// # Errors
    ///
    /// Those of [`load_with`](Self::load_with).
    pub fn load(&self, module: &[u8]) -> Result<Module, Error> {
        self.load_with(module, self.settings.limits)
    }

    /// Loads a module under limits of its own: inspects it, compiles it (or takes it from the cache), and starts it once.
    ///
    /// Compiling takes a while, so do not load modules on the path of a request. It is bounded by what is counted
    /// beforehand: in a release build our engine takes well under a second, and a module written to be slow a few seconds
    /// and half a gigabyte of memory at most. A host that takes modules from strangers has a process of its own compile
    /// them, whose memory and time the operating system limits: [`Compiler::Child`].
    ///
    /// Several threads may load at the same time; a module that more than one of them loads is compiled once.
    ///
    /// # Errors
    ///
    /// The `module_*` code of whatever is wrong with the module: see [`inspect`] for what is looked at before anything
    /// is compiled; [`codes::MODULE_TOO_LARGE`] and [`codes::MODULE_NEEDS`] if it is over the limits;
    /// [`codes::MODULE_COMPILE`] if it cannot be compiled, or not within the limits of the [`Compiler`];
    /// [`codes::WRONG_USAGE`] for limits that cannot work; [`codes::HOST_FAULT`] if no engine can be built, or no
    /// compiler started.
    ///
    /// ```no_run
    /// use adjudicate_sandbox::{Host, Limits, Settings};
    /// let host = Host::new(Settings::default())?;
    /// let bytes = std::fs::read("strict.wasm")?;
    /// let hasty = Limits { fuel: 1_000_000, ..*host.limits() };
    /// let (strict, hasty) = (host.load(&bytes)?, host.load_with(&bytes, hasty)?);
    /// assert_eq!(strict.digest(), hasty.digest());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn load_with(&self, module: &[u8], limits: Limits) -> Result<Module, Error> {
        limits.check()?;
        limits.admit_bytes(module)?;
        let inspection = inspect(module)?;
        limits.admit(&inspection)?;
        let digest = inspection.digest;
        let is_known = self.settings.known_engines.contains(&digest) || self.recognises(module, &inspection);
        let metering = if is_known { Metering::Known } else { Metering::Fuel };
        let class = Class { metering, stack_bytes: limits.stack_bytes, canonical_nan: true };
        let module = self.prepare(module, inspection, limits, class)?;
        Guest::start_to_load(&module)?.check_minor_version()?;
        Ok(module)
    }

    /// Loads a module in order to take its calls apart: under the host's own limits, as an engine that no host knows (even if this host
    /// knows it), and without starting it. `canonical_nan` is false to get NaNs with whatever bits the processor makes; every other
    /// function of the host makes them canonical.
    ///
    /// # Errors
    ///
    /// Those of [`load`](Self::load), except those of starting it.
    pub fn load_to_probe(&self, module: &[u8], canonical_nan: bool) -> Result<Module, Error> {
        let limits = self.settings.limits;
        limits.admit_bytes(module)?;
        let inspection = inspect(module)?;
        limits.admit(&inspection)?;
        let class = Class { metering: Metering::Fuel, stack_bytes: limits.stack_bytes, canonical_nan };
        self.prepare(module, inspection, limits, class)
    }

    /// Compiles a module that was admitted, for an engine of this class, and runs nothing of it.
    fn prepare(
        &self,
        module: &[u8],
        inspection: Inspection,
        limits: Limits,
        class: Class,
    ) -> Result<Module, Error> {
        let digest = inspection.digest;
        // Whoever compiles keeps the engine alive, so who waits for it has the same one.
        let engine = self.engines.of(class)?;
        let compiled = self.compiling.get((digest, class), || self.compile(&engine, digest, module))?;
        Module::new(engine, &compiled, inspection, limits)
    }

    fn compile(
        &self,
        engine: &ClassEngine,
        digest: Digest,
        module: &[u8],
    ) -> Result<wasmtime::Module, Error> {
        let origin = Origin::new(digest, &engine.wasmtime);
        let cache = self.settings.cache.as_ref();
        if let Some(compiled) = cache.and_then(|cache| cache.find(&origin, &engine.wasmtime)) {
            return Ok(compiled);
        }
        let compiled = self.workshop.compile(engine, &origin, module)?;
        if let Some(cache) = cache {
            cache.keep(&origin, &compiled);
        }
        Ok(compiled)
    }
}
