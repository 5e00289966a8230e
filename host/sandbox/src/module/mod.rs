//! A loaded module: compiled, checked, and callable from any thread.

mod guest;

use std::sync::{Arc, Weak};

use adjudicate_core::{Error, Operation, Policy, json::Tape};
use adjudicate_trust::{CallableModule, counted};
use wasmtime::{InstancePre, Linker, ModuleExport};

use self::guest::GuestState;
use crate::{
    CallError, Digest, codes,
    engine::{ClassEngine, Metering},
    inspect::Inspection,
    limits::Limits,
    manifest::{ABI, Manifest},
};

pub use guest::Guest;

/// A policy module. Clones are cheap and share the module.
#[derive(Clone)]
pub struct Module {
    pub(crate) inner: Arc<ModuleState>,
}

/// A reference that does not keep the module loaded. [`Module::downgrade`] creates it.
#[derive(Clone)]
pub struct WeakModule(Weak<ModuleState>);

impl std::fmt::Debug for WeakModule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WeakModule").finish_non_exhaustive()
    }
}

impl WeakModule {
    /// True if a [`Module`] of it exists.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.0.strong_count() > 0
    }

    /// Returns the module if it is still loaded.
    #[must_use]
    pub fn upgrade(&self) -> Option<Module> {
        self.0.upgrade().map(|inner| Module { inner })
    }
}

/// The state that all clones share.
pub(crate) struct ModuleState {
    pub(crate) engine: Arc<ClassEngine>,
    pub(crate) limits: Limits,
    pub(crate) ready: InstancePre<GuestState>,
    pub(crate) exports: Exports,
    inspection: Inspection,
}

/// The functions of the interface, so that no call looks them up by name.
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
    /// Links a compiled module, which has no imports, without running it.
    pub(crate) fn new(
        engine: Arc<ClassEngine>,
        compiled: &wasmtime::Module,
        inspection: Inspection,
        limits: Limits,
    ) -> Result<Self, Error> {
        let ready = Linker::new(&engine.wasmtime).instantiate_pre(compiled).map_err(|error| {
            let message = format!("the module cannot be linked: {error:#}");
            Error::new(codes::MODULE_COMPILE, message).with_source(error)
        })?;
        let exports = Exports::find(compiled)?;
        Ok(Self { inner: Arc::new(ModuleState { engine, limits, ready, exports, inspection }) })
    }

    /// Returns the same module with other limits for each call. The stack size does not change, because it belongs to the engine.
    ///
    /// # Errors
    ///
    /// Those of [`Limits::check`] and [`Limits::admit`].
    pub fn within(&self, limits: Limits) -> Result<Self, Error> {
        limits.check()?;
        let ModuleState { engine, ready, exports, inspection, .. } = &*self.inner;
        limits.admit(inspection)?;
        let limits = Limits { stack_bytes: engine.class.stack_bytes, ..limits };
        let (engine, ready, inspection) = (Arc::clone(engine), ready.clone(), inspection.clone());
        Ok(Self { inner: Arc::new(ModuleState { engine, limits, ready, exports: *exports, inspection }) })
    }

    /// The limits of each call.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.inner.limits
    }

    /// Returns a reference that does not keep the module loaded.
    #[must_use]
    pub fn downgrade(&self) -> WeakModule {
        WeakModule(Arc::downgrade(&self.inner))
    }

    /// The module's identity.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.inner.inspection.digest
    }

    /// The module's manifest.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.inner.inspection.manifest
    }

    /// The policy inside the module, if there is one: [`Inspection::policy`].
    #[must_use]
    pub fn policy(&self) -> Option<&Policy> {
        self.inner.inspection.policy()
    }

    /// True if instances come from a pool. They do, unless the address space is too small for a pool. Without a pool, the start of
    /// an instance takes several times as long.
    #[must_use]
    pub fn is_pooled(&self) -> bool {
        self.inner.engine.is_pooled
    }

    /// The static description of the module.
    #[must_use]
    pub fn inspection(&self) -> &Inspection {
        &self.inner.inspection
    }

    /// True if the host knows the module as an engine, or as a policy baked into one, and runs it without fuel. See
    /// [`HostSettings::engines`](crate::HostSettings::engines).
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.inner.engine.class.metering == Metering::Known
    }

    /// Calls the module in a fresh instance. Calls share no state.
    ///
    /// The answer is the JSON text as the module wrote it. Unless the host knows the module as an engine, input and answer are
    /// checked. The input is JSON. The answer has the required fields and words, and the input allows its next step. Modules decide
    /// the status freely, so the host does not compare it with the findings.
    ///
    /// # Errors
    ///
    /// | Error | Cause |
    /// | --- | --- |
    /// | [`CallError::Reported`] | the module reports an error, for example `missing_field` |
    /// | [`CallError::Fault`] | a limit, a trap or a broken contract, each with a code of its own |
    /// | `unsupported_operation` | the manifest does not list the operation |
    /// | an error such as `malformed_json` | the input is not JSON |
    /// | `host_overloaded` | no instance was free in time |
    pub fn call(&self, operation: Operation, input: &[u8]) -> Result<String, CallError> {
        let call = Call::admit(self, operation, input)?;
        Guest::start(self)?.answer(&call)
    }

    /// Starts an instance that lives on between calls. State can leak from call to call, so this is for measurements and trusted
    /// modules. To make decisions, use [`Module::call`].
    ///
    /// # Errors
    ///
    /// As for [`Module::call`].
    pub fn start(&self) -> Result<Guest, Error> {
        Guest::start(self)
    }
}

impl CallableModule for Module {
    fn name(&self) -> &str {
        &self.manifest().name
    }

    fn policy(&self) -> Option<&Policy> {
        self.policy()
    }

    fn call(&self, operation: Operation, input: &[u8]) -> Result<String, CallError> {
        self.call(operation, input)
    }
}

impl Exports {
    fn find(compiled: &wasmtime::Module) -> Result<Self, Error> {
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

/// An admitted call.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) operation: Operation,
    pub(crate) input: &'a [u8],
    /// The parsed input; `None` for trusted engines, which parse it themselves.
    pub(crate) document: Option<Tape<'a>>,
}

impl<'a> Call<'a> {
    /// Rejects operations that the module does not offer and inputs over the limit. Unless the module is trusted, also rejects
    /// inputs that are not JSON, with the error of the built-in engine. So no module can answer a malformed call.
    pub(crate) fn admit(module: &Module, operation: Operation, input: &'a [u8]) -> Result<Self, Error> {
        let manifest = module.manifest();
        if !manifest.operations.contains(&operation) {
            let message = format!("the module `{}` does not offer `{}`", manifest.name, operation.name());
            return Err(Error::new(codes::UNSUPPORTED_OPERATION, message));
        }
        let limit = module.inner.limits.input_bytes;
        if input.len() > limit {
            let message =
                format!("the input has {}, the module's limit is {limit}", counted(input.len(), "byte"));
            return Err(Error::new(codes::MODULE_INPUT_TOO_LARGE, message));
        }
        let document = match module.inner.engine.class.metering {
            Metering::Known => None,
            Metering::Fuel => Some(operation.read(input)?),
        };
        Ok(Self { operation, input, document })
    }
}

/// Returns the answer in a reply of our own engine, or `None` if the reply has no answer. The engine writes well-formed JSON, so
/// this function only removes the frame.
pub(crate) fn framed(reply: &str) -> Option<&str> {
    reply.strip_prefix(r#"{"ok":"#)?.strip_suffix('}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engines_replies_have_one_frame() {
        assert_eq!(framed(r#"{"ok":{}}"#), Some("{}"));
        assert_eq!(framed(r#"{"error":{}}"#), None);
    }
}
