//! A loaded module: compiled, checked, and ready to be called any number of times from any thread.

mod admission;
mod guest;

use std::sync::{Arc, Weak};

use adjudicate_core::{Error, Operation, Policy};
use wasmtime::{InstancePre, Linker, ModuleExport};

use crate::{
    codes,
    digest::Digest,
    engine::{ClassEngine, Metering},
    inspect::Inspection,
    limits::Limits,
    manifest::{ABI, Manifest},
    reply::CallError,
};

pub use guest::Guest;

use admission::Call;
use guest::State;

/// A policy module, ready to be called. Cheap to clone; all clones are the same module.
#[derive(Clone)]
pub struct Module {
    pub(crate) inner: Arc<Inner>,
}

/// A module that is not kept loaded by this: [`Module::downgrade`].
#[derive(Clone)]
pub struct WeakModule(Weak<Inner>);

impl std::fmt::Debug for WeakModule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WeakModule").finish_non_exhaustive()
    }
}

impl WeakModule {
    /// Whether somebody holds the module.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.0.strong_count() > 0
    }

    /// The module, if somebody holds it.
    #[must_use]
    pub fn upgrade(&self) -> Option<Module> {
        self.0.upgrade().map(|inner| Module { inner })
    }
}

/// What all clones share.
pub(crate) struct Inner {
    pub(crate) engine: Arc<ClassEngine>,
    pub(crate) limits: Limits,
    pub(crate) ready: InstancePre<State>,
    pub(crate) exports: Exports,
    inspection: Inspection,
}

/// Where the functions of the interface are, so that no call looks them up by name.
#[derive(Clone, Copy)]
pub(crate) struct Exports {
    pub(crate) memory: ModuleExport,
    pub(crate) marker: ModuleExport,
    pub(crate) alloc: ModuleExport,
    pub(crate) call: ModuleExport,
    pub(crate) configure: Option<ModuleExport>,
    pub(crate) initialize: Option<ModuleExport>,
}

impl std::fmt::Debug for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Module").field("digest", &self.digest()).finish_non_exhaustive()
    }
}

impl Module {
    /// Links a compiled module (to nothing: it has no imports), and runs nothing of it.
    pub(crate) fn new(
        engine: Arc<ClassEngine>,
        compiled: &wasmtime::Module,
        inspection: Inspection,
        limits: Limits,
    ) -> Result<Self, Error> {
        let ready = Linker::new(&engine.wasmtime).instantiate_pre(compiled).map_err(|error| {
            Error::new(codes::MODULE_COMPILE, format!("the module cannot be linked: {error:#}"))
        })?;
        let exports = Exports::of(compiled)?;
        Ok(Self { inner: Arc::new(Inner { engine, limits, ready, exports, inspection }) })
    }

    /// The same module with other limits for each call. The size of its stack stays: that is the engine's.
    ///
    /// # Errors
    ///
    /// Those of [`Limits::check`] and [`Limits::admit`].
    pub fn within(&self, limits: Limits) -> Result<Self, Error> {
        limits.check()?;
        let Inner { engine, ready, exports, inspection, .. } = &*self.inner;
        limits.admit(inspection)?;
        let limits = Limits { stack_bytes: engine.class.stack_bytes, ..limits };
        let (engine, ready, inspection) = (Arc::clone(engine), ready.clone(), inspection.clone());
        Ok(Self { inner: Arc::new(Inner { engine, limits, ready, exports: *exports, inspection }) })
    }

    /// What each call may use.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.inner.limits
    }

    /// The module, as long as somebody else holds it.
    #[must_use]
    pub fn downgrade(&self) -> WeakModule {
        WeakModule(Arc::downgrade(&self.inner))
    }

    /// The module's identity.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.inner.inspection.digest
    }

    /// What the module says of itself.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.inner.inspection.manifest
    }

    /// The policy that the module carries, if it does: [`Inspection::policy`].
    #[must_use]
    pub fn policy(&self) -> Option<&Policy> {
        self.inner.inspection.policy()
    }

    /// Whether instances come from a pool. They do unless the address space is too small for one; without it starting
    /// an instance takes several times as long.
    #[must_use]
    pub fn is_pooled(&self) -> bool {
        self.inner.engine.is_pooled
    }

    /// What is known of the module without running it.
    #[must_use]
    pub fn inspection(&self) -> &Inspection {
        &self.inner.inspection
    }

    /// Whether the host knows it as an engine, or as a policy that is baked into one, and runs it without fuel:
    /// [`Settings::engines`](crate::Settings::engines).
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.inner.engine.class.metering == Metering::Known
    }

    /// Asks the module, in an instance of its own: nothing that a call leaves behind is seen by another.
    ///
    /// The answer is the JSON text as the module wrote it. It has passed the operation's output contract, unless the
    /// module is an engine that the host knows: the input is JSON, the answer has the shape and the words that it must
    /// have, and the next step that it names is one that the input allows. That its status follows from its findings is
    /// not checked, for it is what modules are free to decide.
    ///
    /// # Errors
    ///
    /// [`CallError::Reported`] if the module says that there is no answer (for instance `missing_field`);
    /// [`CallError::Fault`] with a code of its own for each limit, trap and broken promise, for an operation that
    /// the manifest does not list (`unsupported_operation`), for an input that is not JSON (as the engine itself would
    /// say it, for instance `malformed_json`), and if no instance was free in time (`host_overloaded`).
    pub fn call(&self, operation: Operation, input: &[u8]) -> Result<String, CallError> {
        let call = Call::admit(self, operation, input)?;
        Guest::start(self)?.answer(&call)
    }

    /// Starts an instance that lives on between calls. State can leak from call to call, so this is for measuring
    /// and for modules one trusts; decisions are made with [`Module::call`].
    ///
    /// # Errors
    ///
    /// As for [`Module::call`].
    pub fn start(&self) -> Result<Guest, Error> {
        Guest::start(self)
    }
}

impl Exports {
    fn of(compiled: &wasmtime::Module) -> Result<Self, Error> {
        Ok(Self {
            memory: export(compiled, "memory")?,
            marker: export(compiled, &format!("adjudicate_abi_{ABI}"))?,
            alloc: export(compiled, "adjudicate_alloc")?,
            call: export(compiled, "adjudicate_call")?,
            configure: compiled.get_export_index("adjudicate_configure"),
            initialize: compiled.get_export_index("_initialize"),
        })
    }
}

fn export(compiled: &wasmtime::Module, name: &str) -> Result<ModuleExport, Error> {
    let missing = || Error::new(codes::MODULE_EXPORTS, format!("the module exports no `{name}`"));
    compiled.get_export_index(name).ok_or_else(missing)
}
