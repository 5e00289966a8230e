//! The host: from a module's bytes to a module that can be called.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use adjudicate_core::{Error, ErrorCode};

use crate::{
    cache::Cache,
    compiled::Origin,
    digest::Digest,
    engine::{EngineClass, Metering},
    inspect::inspect,
    limits::Limits,
    module::Module,
};

/// How a host is set up.
///
/// ```
/// use adjudicate_host::{Host, Limits, Settings};
/// let settings = Settings { instances: 1, limits: Limits { fuel: 1_000_000, ..Limits::default() }, ..Settings::default() };
/// let host = Host::new(settings)?;
/// assert_eq!(host.limits().fuel, 1_000_000);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Settings {
    /// What each module may use.
    pub limits: Limits,
    /// How many instances may live at once. Default: four for each processor, at least 64.
    pub instances: u32,
    /// How long a call waits for a free instance. Default 1 s.
    pub wait: Duration,
    /// Modules by digest that are trusted engines, such as the one this project builds: they count their own
    /// steps, so they run without fuel and deadline, and their answers are not checked. Memory, stack, input and
    /// output stay bounded. Default: none.
    pub known_engines: BTreeSet<Digest>,
    /// Where compiled modules are kept. Default: nowhere.
    pub cache: Option<Cache>,
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
            cache: None,
        }
    }
}

/// Loads modules. What it loads lives on without it.
#[derive(Debug)]
pub struct Host {
    settings: Settings,
    /// The engines, each built when the first module needs it.
    fuel: Mutex<Option<Arc<EngineClass>>>,
    known: Mutex<Option<Arc<EngineClass>>>,
}

impl Host {
    /// A host with these settings.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::WrongUsage`] for limits that cannot work.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        settings.limits.check()?;
        if settings.instances == 0 {
            return Err(Error::new(ErrorCode::WrongUsage, "a host needs room for one instance or more"));
        }
        Ok(Self { settings, fuel: Mutex::new(None), known: Mutex::new(None) })
    }

    /// The limits of every module that this host loads.
    #[must_use]
    pub const fn limits(&self) -> &Limits {
        &self.settings.limits
    }

    /// Loads a module: inspects it, compiles it (or takes it from the cache), and starts it once.
    ///
    /// Compiling happens in this process, on the calling thread, so do not load modules on the path of a request. It is
    /// bounded by what is counted beforehand: in a release build our engine takes well under a second, and a module
    /// written to be slow a few seconds and half a gigabyte of memory at most. A host that takes modules from
    /// strangers and cannot afford that compiles them in a process of its own, whose memory and time the operating
    /// system limits, and shares a [`Cache`] with it.
    ///
    /// # Errors
    ///
    /// The `module_*` code of whatever is wrong with the module: see [`inspect`] for what is looked at before anything
    /// is compiled; [`ErrorCode::ModuleTooLarge`] and [`ErrorCode::ModuleNeeds`] if it is over this host's limits;
    /// [`ErrorCode::HostFault`] if no engine can be built.
    pub fn load(&self, module: &[u8]) -> Result<Module, Error> {
        let limits = self.settings.limits;
        limits.admit_bytes(module)?;
        let inspection = inspect(module)?;
        limits.admit(&inspection)?;
        let class = self.class_of(inspection.digest)?;
        let compiled = self.compile(&class, inspection.digest, module)?;
        Module::new(class, &compiled, inspection, limits)
    }

    fn class_of(&self, digest: Digest) -> Result<Arc<EngineClass>, Error> {
        let (place, metering) = match self.settings.known_engines.contains(&digest) {
            true => (&self.known, Metering::Known),
            false => (&self.fuel, Metering::Fuel),
        };
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(class) = &*place {
            return Ok(Arc::clone(class));
        }
        let class = Arc::new(EngineClass::new(&self.settings, metering)?);
        Ok(Arc::clone(place.insert(class)))
    }

    fn compile(&self, class: &EngineClass, digest: Digest, module: &[u8]) -> Result<wasmtime::Module, Error> {
        let origin = Origin::new(digest, &class.engine);
        let cache = self.settings.cache.as_ref();
        if let Some(compiled) = cache.and_then(|cache| cache.find(&origin, &class.engine)) {
            return Ok(compiled);
        }
        let compiled = wasmtime::Module::from_binary(&class.engine, module).map_err(|error| {
            Error::new(ErrorCode::ModuleCompile, format!("the module cannot be compiled: {error:#}"))
        })?;
        if let Some(cache) = cache {
            cache.keep(&origin, &compiled);
        }
        Ok(compiled)
    }
}
