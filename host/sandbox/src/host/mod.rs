//! The host: loads modules from bytes, so that they can be called.

mod bake;

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use adjudicate_core::Error;

use crate::{
    Digest,
    cache::Cache,
    codes,
    compiled::Origin,
    compiler::{Compiler, CompilerPool},
    engine::{Class, ClassEngine, Engines, Metering},
    inspect::{Inspection, inspect},
    limits::Limits,
    module::{Guest, Module},
    single_flight::SingleFlight,
};

pub use bake::ModuleLabel;

use bake::Recognition;

/// The settings of a host.
///
/// ```
/// use adjudicate_sandbox::{Host, HostSettings, Limits};
/// let settings = HostSettings { instances: 1, limits: Limits { fuel: 1_000_000, ..Limits::default() }, ..HostSettings::default() };
/// let host = Host::new(settings)?;
/// assert_eq!(host.limits().fuel, 1_000_000);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct HostSettings {
    /// The limits of modules that are loaded without limits of their own.
    pub limits: Limits,
    /// The most instances at once, of all modules together. A module that is being loaded may have one more. Default: four
    /// for each processor, at least 64.
    pub instances: u32,
    /// The time for which a call waits for a free instance. Default 1 s.
    pub wait: Duration,
    /// Digests of trusted modules: engines such as the one of this project, and policies that are baked into it. They count their
    /// own steps, so they run without fuel and deadline, and the host does not check their answers. The limits on memory, stack,
    /// input and output apply.
    ///
    /// **Warning:** list only modules that you built, or that come from the source of the host itself. The host trusts exactly
    /// these digests, whatever engine a manifest names. Default: none.
    pub known_engines: BTreeSet<Digest>,
    /// Trusted engines, as bytes. The host trusts them like those in `known_engines`. It also trusts policies that are baked into
    /// them, by any author. To find out, it bakes the policy of a module again while it loads the module, and compares the
    /// bytes. Once per module, that takes as long as loading the engine and reading the policy. Default: none.
    pub engines: Vec<Arc<[u8]>>,
    /// The cache of compiled modules. Default: none.
    pub cache: Option<Cache>,
    /// The process that compiles modules. Default: in this process.
    pub compiler: Compiler,
}

impl Default for HostSettings {
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

/// A loader of modules. Loaded modules live on after the host is dropped.
#[derive(Debug)]
pub struct Host {
    settings: HostSettings,
    engines: Engines,
    workshop: CompilerPool,
    recognition: Recognition,
    /// The running compilations.
    compiling: SingleFlight<(Digest, Class), wasmtime::Module>,
}

impl Host {
    /// Creates a host with these settings.
    ///
    /// # Errors
    ///
    /// [`codes::WRONG_USAGE`] for limits that cannot work.
    pub fn new(settings: HostSettings) -> Result<Self, Error> {
        settings.limits.check()?;
        if settings.instances == 0 {
            return Err(Error::new(codes::WRONG_USAGE, "`instances` must be 1 or more"));
        }
        let engines = Engines::new(settings.instances, settings.wait);
        let workshop = CompilerPool::new(settings.compiler.clone())?;
        let recognition = Recognition::new(settings.engines.clone());
        let compiling = SingleFlight::new(0, Duration::ZERO);
        Ok(Self { settings, engines, workshop, recognition, compiling })
    }

    pub(crate) const fn recognition(&self) -> &Recognition {
        &self.recognition
    }

    /// The limits of modules that are loaded without limits of their own.
    #[must_use]
    pub const fn limits(&self) -> &Limits {
        &self.settings.limits
    }

    /// Loads a module under the host's own limits. See [`load_with`](Self::load_with).
    ///
    /// # Errors
    ///
    /// Those of [`load_with`](Self::load_with).
    pub fn load(&self, module: &[u8]) -> Result<Module, Error> {
        self.load_with(module, self.settings.limits)
    }

    /// Loads a module under limits of its own: inspects it, compiles it or takes it from the cache, and starts it once.
    ///
    /// Compiling takes time, so do not load modules while a request waits. In a release build, the built-in engine compiles in
    /// well under a second. The static checks bound a module that was written to be slow to a few seconds and half a gigabyte of
    /// memory. If you accept modules from untrusted sources, compile in a child process, whose memory and time the operating
    /// system limits: [`Compiler::Child`].
    ///
    /// Several threads may load at once. If they load the same module, it is compiled once.
    ///
    /// # Errors
    ///
    /// - The `module_*` code of the fault: see [`inspect`] for the checks before compiling.
    /// - [`codes::MODULE_TOO_LARGE`] and [`codes::MODULE_NEEDS`] if the module exceeds the limits.
    /// - [`codes::MODULE_COMPILE`] if it cannot be compiled within the limits of the [`Compiler`].
    /// - [`codes::WRONG_USAGE`] for limits that cannot work.
    /// - [`codes::HOST_FAULT`] if no engine can be built or the compiler cannot be started.
    ///
    /// ```no_run
    /// use adjudicate_sandbox::{Host, HostSettings, Limits};
    /// let host = Host::new(HostSettings::default())?;
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

    /// Loads a module to examine its calls step by step: under the host's own limits, as an unknown engine even if this host
    /// knows it, and without starting it. With `canonical_nan` false, NaNs keep the bits of the processor. All other functions of
    /// the host make them canonical.
    ///
    /// # Errors
    ///
    /// Those of [`load`](Self::load), except those of the start.
    pub fn load_to_probe(&self, module: &[u8], canonical_nan: bool) -> Result<Module, Error> {
        let limits = self.settings.limits;
        limits.admit_bytes(module)?;
        let inspection = inspect(module)?;
        limits.admit(&inspection)?;
        let class = Class { metering: Metering::Fuel, stack_bytes: limits.stack_bytes, canonical_nan };
        self.prepare(module, inspection, limits, class)
    }

    /// Compiles an admitted module for an engine of this class, without running it.
    fn prepare(
        &self,
        module: &[u8],
        inspection: Inspection,
        limits: Limits,
        class: Class,
    ) -> Result<Module, Error> {
        let digest = inspection.digest;
        // The thread that compiles keeps the engine alive, so waiting threads have the same engine.
        let engine = self.engines.get_or_build(class)?;
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
