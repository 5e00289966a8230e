//! A loaded module: compiled, checked, and ready to be called any number of times from any thread.

use std::sync::Arc;

use adjudicate_core::{Error, ErrorCode, Operation};
use wasmtime::{InstancePre, Linker, ModuleExport};

use crate::{
    digest::Digest,
    engine::EngineClass,
    guest::{Guest, State},
    inspect::Inspection,
    limits::Limits,
    manifest::{ABI, Manifest},
    reply::CallError,
};

/// A policy module, ready to be called. Cheap to clone; all clones are the same module.
#[derive(Clone)]
pub struct Module {
    pub(crate) inner: Arc<Inner>,
}

/// What all clones share.
pub(crate) struct Inner {
    pub(crate) class: Arc<EngineClass>,
    pub(crate) limits: Limits,
    pub(crate) ready: InstancePre<State>,
    pub(crate) exports: Exports,
    inspection: Inspection,
}

/// Where the functions of the interface are, so that no call looks them up by name.
pub(crate) struct Exports {
    pub(crate) memory: ModuleExport,
    pub(crate) alloc: ModuleExport,
    pub(crate) call: ModuleExport,
    pub(crate) initialize: Option<ModuleExport>,
}

impl std::fmt::Debug for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Module").field("digest", &self.digest()).finish_non_exhaustive()
    }
}

impl Module {
    /// Links a compiled module (to nothing: it has no imports), and runs it once to learn its minor version.
    pub(crate) fn new(
        class: Arc<EngineClass>,
        compiled: &wasmtime::Module,
        inspection: Inspection,
        limits: Limits,
    ) -> Result<Self, Error> {
        let ready = Linker::new(&class.engine).instantiate_pre(compiled).map_err(|error| {
            Error::new(ErrorCode::ModuleCompile, format!("the module cannot be linked: {error:#}"))
        })?;
        let exports = Exports::of(compiled)?;
        let module = Self { inner: Arc::new(Inner { class, limits, ready, exports, inspection }) };
        module.check_minor_version(compiled)?;
        Ok(module)
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

    /// What is known of the module without running it.
    #[must_use]
    pub fn inspection(&self) -> &Inspection {
        &self.inner.inspection
    }

    /// Asks the module, in an instance of its own: nothing that a call leaves behind is seen by another.
    ///
    /// The answer is the JSON text as the module wrote it. An answer to `evaluate` has passed the output contract,
    /// unless the module is an engine that the host knows.
    ///
    /// # Errors
    ///
    /// [`CallError::Reported`] if the module says that there is no answer (for instance `missing_field`);
    /// [`CallError::Fault`] with a code of its own for each limit, trap and broken promise, for an operation that
    /// the manifest does not list (`unsupported_operation`), and if no instance was free in time
    /// (`host_overloaded`).
    pub fn call(&self, operation: Operation, input: &[u8]) -> Result<String, CallError> {
        self.admit(operation, input)?;
        Guest::start(self)?.answer(operation, input)
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

    /// Refuses what need not be tried.
    pub(crate) fn admit(&self, operation: Operation, input: &[u8]) -> Result<(), Error> {
        let manifest = self.manifest();
        if !manifest.operations.contains(&operation) {
            let message = format!("the module `{}` does not offer `{}`", manifest.name, operation.name());
            return Err(Error::new(ErrorCode::UnsupportedOperation, message));
        }
        let limit = self.inner.limits.input_bytes;
        if input.len() > limit {
            let message = format!("the input has {} bytes, the module's limit is {limit}", input.len());
            return Err(Error::new(ErrorCode::ModuleInputTooLarge, message));
        }
        Ok(())
    }

    fn check_minor_version(&self, compiled: &wasmtime::Module) -> Result<(), Error> {
        let marker = export(compiled, &format!("adjudicate_abi_{ABI}"))?;
        match Guest::start(self)?.minor_version(&marker)? {
            0 => Ok(()),
            minor => {
                let message =
                    format!("the module speaks version {ABI}.{minor} of the interface, this host {ABI}.0");
                Err(Error::new(ErrorCode::ModuleAbi, message))
            }
        }
    }
}

impl Exports {
    fn of(compiled: &wasmtime::Module) -> Result<Self, Error> {
        Ok(Self {
            memory: export(compiled, "memory")?,
            alloc: export(compiled, "adjudicate_alloc")?,
            call: export(compiled, "adjudicate_call")?,
            initialize: compiled.get_export_index("_initialize"),
        })
    }
}

fn export(compiled: &wasmtime::Module, name: &str) -> Result<ModuleExport, Error> {
    let missing = || Error::new(ErrorCode::ModuleExports, format!("the module exports no `{name}`"));
    compiled.get_export_index(name).ok_or_else(missing)
}
