//! One instance of a module and the calls into it: the dynamic half of the binary interface.

use std::{thread, time::Duration};

use adjudicate_core::{Error, Operation, module::Reply};
use adjudicate_trust::{CallError, counted};
use wasmtime::{
    Instance, Memory, ModuleExport, PoolConcurrencyLimitError, Store, TypedFunc, Val, WasmParams, WasmResults,
};

use super::{Call, Module, framed};
use crate::{
    clock::Stopwatch,
    codes,
    engine::Metering,
    fault,
    manifest::ABI,
    memory::{self, Growth},
    permits::Permit,
};

/// The pause between two attempts to get a slot of the pool, and their number: a second or more in all.
const SLOT_PAUSE: Duration = Duration::from_micros(100);
const SLOT_ATTEMPTS: u32 = 10_000;

/// The host's data for an instance.
#[derive(Debug)]
pub(crate) struct GuestState {
    growth: Growth,
    stopwatch: Stopwatch,
}

/// A running instance. [`call`](Self::call) makes a call with all checks. The other functions are the unchecked steps of a call,
/// for tests of a module's state between them (the crate `adjudicate-conformance`).
///
/// A guest holds one of the host's permits until it is dropped. Drop it after a failed call, because the state of the instance is
/// then unknown.
pub struct Guest {
    store: Store<GuestState>,
    instance: Instance,
    module: Module,
    // Last, so that the permit is released after the instance.
    _permit: Permit,
}

impl std::fmt::Debug for Guest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Guest").field("module", &self.module).finish_non_exhaustive()
    }
}

/// Instantiates a module.
///
/// The pool has a slot for each permit. A thread that unloads another module takes a free slot for a moment to reset it, so
/// the start waits for that.
fn instantiate(module: &Module, store: &mut Store<GuestState>) -> wasmtime::Result<Instance> {
    for _ in 1..SLOT_ATTEMPTS {
        match module.inner.ready.instantiate(&mut *store) {
            Err(error) if error.is::<PoolConcurrencyLimitError>() => thread::sleep(SLOT_PAUSE),
            outcome => return outcome,
        }
    }
    module.inner.ready.instantiate(store)
}

impl Guest {
    /// Starts a fresh instance and calls its `_initialize`, if it has one.
    pub(crate) fn start(module: &Module) -> Result<Self, Error> {
        Self::start_in(module, module.inner.engine.permits.acquire()?)
    }

    /// Starts an instance of a module that is being loaded, with the permit for loading.
    pub(crate) fn start_to_load(module: &Module) -> Result<Self, Error> {
        Self::start_in(module, module.inner.engine.loading.acquire()?)
    }

    fn start_in(module: &Module, permit: Permit) -> Result<Self, Error> {
        let limits = &module.inner.limits;
        let state = GuestState {
            growth: Growth::up_to(limits.memory_bytes),
            stopwatch: Stopwatch::new(limits.deadline),
        };
        let mut store = Store::new(&module.inner.engine.wasmtime, state);
        store.limiter(|state| &mut state.growth);
        if module.inner.engine.class.metering == Metering::Fuel {
            store.epoch_deadline_callback(|mut store| store.data_mut().stopwatch.look());
        }
        grant(&mut store, module)?;
        let instance = instantiate(module, &mut store);
        let instance = instance.map_err(|error| fault::of_start(error, &store.data().growth))?;
        let mut guest = Self { store, instance, module: module.clone(), _permit: permit };
        if let Some(initialize) = &module.inner.exports.initialize {
            guest.run::<(), ()>(initialize, (), "`_initialize`")?;
        }
        Ok(guest)
    }

    /// Calls the instance. State from earlier calls stays visible to the module.
    ///
    /// # Errors
    ///
    /// As for [`Module::call`].
    pub fn call(&mut self, operation: Operation, input: &[u8]) -> Result<String, CallError> {
        let module = self.module.clone();
        let call = Call::admit(&module, operation, input)?;
        grant(&mut self.store, &module)?;
        self.answer(&call)
    }

    /// Returns the answer to a call. A module that breaks the contract after a denied growth gets the error of the memory limit.
    pub(crate) fn answer(&mut self, call: &Call<'_>) -> Result<String, CallError> {
        self.checked_answer(call).map_err(|error| match error {
            CallError::Fault(error) => fault::of_contract(error, &self.store.data().growth).into(),
            reported @ CallError::Reported(_) => reported,
        })
    }

    /// Allocates the buffer, writes the input, runs the call, reads the reply, extracts the answer and checks it.
    fn checked_answer(&mut self, call: &Call<'_>) -> Result<String, CallError> {
        let module = self.module.clone();
        let address = self.write(call.input)?;
        // The limit on inputs keeps the length far below the range of `i32`.
        let length = i32::try_from(call.input.len()).unwrap_or(i32::MAX);
        let arguments = (call.operation.number(), address, length);
        let record = self.run(&module.inner.exports.call, arguments, "`adjudicate_call`")?;
        let data = self.memory()?.data(&self.store);
        let bytes = memory::reply(data, record, module.inner.limits.output_bytes)?;
        let trusted = call.document.is_none();
        if let Some(answer) = str::from_utf8(bytes).ok().and_then(framed).filter(|_| trusted) {
            return Ok(answer.to_owned());
        }
        let reply = Reply::parse(bytes)?;
        let answer = match &call.document {
            Some(document) => reply.answer_to(call.operation, document.root()),
            None => reply.answer(),
        };
        answer.map(|answer| answer.text.to_owned()).map_err(|error| CallError::from_reply(&reply, error))
    }

    /// Calls the marker function, which returns the minor version.
    fn minor_version(&mut self) -> Result<i32, Error> {
        let module = self.module.clone();
        self.run(&module.inner.exports.marker, (), "`adjudicate_abi_1`")
    }

    /// Rejects a minor version of the interface that this host does not support.
    ///
    /// # Errors
    ///
    /// [`codes::MODULE_ABI`] for such a version; also the faults of a call.
    pub fn check_minor_version(&mut self) -> Result<(), Error> {
        match self.minor_version()? {
            0 => Ok(()),
            minor => {
                let message = match u32::try_from(minor) {
                    Ok(minor) => format!("speaks version {ABI}.{minor} of the interface, this host {ABI}.0"),
                    Err(_) => format!("has the invalid minor version {minor} of the interface"),
                };
                Err(Error::new(codes::MODULE_ABI, format!("the module {message}")))
            }
        }
    }

    /// Calls only `adjudicate_alloc`, with the fuel of a call. Returns the address that the module gives. Address 0 means that the
    /// module refused; no address is checked.
    ///
    /// # Errors
    ///
    /// The faults of a call.
    pub fn allocate(&mut self, bytes: u32) -> Result<i32, Error> {
        let module = self.module.clone();
        grant(&mut self.store, &module)?;
        self.run(&module.inner.exports.alloc, bytes.cast_signed(), "`adjudicate_alloc`")
    }

    /// Writes bytes into the memory.
    ///
    /// # Errors
    ///
    /// [`codes::MODULE_BAD_POINTER`] if the range is not inside of the memory.
    pub fn put(&mut self, address: i32, bytes: &[u8]) -> Result<(), Error> {
        memory::write(self.memory()?, &mut self.store, address, bytes)
    }

    /// Calls `adjudicate_call` with the number of an operation and an input in memory. Returns the unchecked address of the reply's
    /// record.
    ///
    /// # Errors
    ///
    /// The faults of a call.
    pub fn call_at(&mut self, number: i32, address: i32, bytes: u32) -> Result<i32, Error> {
        let module = self.module.clone();
        let arguments = (number, address, bytes.cast_signed());
        self.run(&module.inner.exports.call, arguments, "`adjudicate_call`")
    }

    /// Calls `adjudicate_configure` with a policy in memory. Returns the address of the reply's record; `None` if the module takes
    /// no policy.
    ///
    /// # Errors
    ///
    /// The faults of a call.
    pub fn configure_at(&mut self, address: i32, bytes: u32) -> Result<Option<i32>, Error> {
        let module = self.module.clone();
        let Some(configure) = &module.inner.exports.configure else { return Ok(None) };
        self.run(configure, (address, bytes.cast_signed()), "`adjudicate_configure`").map(Some)
    }

    /// The bytes of the reply whose record is at this address. Their content is not checked.
    ///
    /// # Errors
    ///
    /// The faults of a call, if record or reply lie outside of the memory, or if the reply is over the limit.
    pub fn reply(&mut self, record: i32) -> Result<&[u8], Error> {
        let limit = self.module.inner.limits.output_bytes;
        memory::reply(self.memory()?.data(&self.store), record, limit)
    }

    /// The current size of the memory in bytes.
    ///
    /// # Errors
    ///
    /// [`codes::MODULE_EXPORTS`] if the memory is no longer exported.
    pub fn memory_bytes(&mut self) -> Result<usize, Error> {
        Ok(self.memory()?.data_size(&self.store))
    }

    /// The fuel used since the last grant. The start of the instance, [`call`](Self::call) and [`allocate`](Self::allocate) grant fuel.
    #[must_use]
    pub fn fuel_used(&self) -> u64 {
        self.module.inner.limits.fuel.saturating_sub(self.store.get_fuel().unwrap_or_default())
    }

    /// Configures the instance with a policy document for all later calls.
    ///
    /// # Errors
    ///
    /// [`CallError::Reported`] if the module rejects the document; also the faults of a call.
    pub(crate) fn configure(&mut self, document: &[u8]) -> Result<(), CallError> {
        let address = self.write(document)?;
        let length = u32::try_from(document.len()).unwrap_or(u32::MAX);
        let record = self.configure_at(address, length)?.ok_or_else(|| missing("`adjudicate_configure`"))?;
        let reply = Reply::parse(self.reply(record)?)?;
        match reply.answer().map_err(|error| CallError::from_reply(&reply, error))?.text {
            "null" => Ok(()),
            _ => {
                let message = r#"the reply to `adjudicate_configure` is malformed: expected `{"ok": null}`"#;
                Err(Error::new(codes::MODULE_MALFORMED_REPLY, message).into())
            }
        }
    }

    /// The current content of the memory.
    pub(crate) fn data(&mut self) -> Result<&[u8], Error> {
        Ok(self.memory()?.data(&self.store))
    }

    /// The value of an exported global.
    pub(crate) fn global(&mut self, name: &str) -> Option<Val> {
        let global = self.instance.get_global(&mut self.store, name)?;
        Some(global.get(&mut self.store))
    }

    /// Writes the input into the guest's memory and returns its address.
    fn write(&mut self, input: &[u8]) -> Result<i32, Error> {
        // Requests at least one byte: a valid buffer of 0 bytes may have address 0, which means that the module refused.
        let bytes = i32::try_from(input.len().max(1)).unwrap_or(i32::MAX);
        let module = self.module.clone();
        match self.run(&module.inner.exports.alloc, bytes, "`adjudicate_alloc`")? {
            0 => {
                let message =
                    format!("the module refused to make room for {} of input", counted(bytes, "byte"));
                Err(Error::new(codes::MODULE_ALLOC_REFUSED, message))
            }
            address => {
                memory::write(self.memory()?, &mut self.store, address, input)?;
                Ok(address)
            }
        }
    }

    fn memory(&mut self) -> Result<Memory, Error> {
        let memory = self.instance.get_module_export(&mut self.store, &self.module.inner.exports.memory);
        memory.and_then(wasmtime::Extern::into_memory).ok_or_else(|| missing("memory"))
    }

    fn run<P: WasmParams, R: WasmResults>(
        &mut self,
        export: &ModuleExport,
        arguments: P,
        during: &str,
    ) -> Result<R, Error> {
        let function = self.instance.get_module_export(&mut self.store, export);
        let function = function.and_then(wasmtime::Extern::into_func).ok_or_else(|| missing(during))?;
        let function: TypedFunc<P, R> = function.typed(&self.store).map_err(|_| missing(during))?;
        let result = function.call(&mut self.store, arguments);
        result.map_err(|error| fault::of_run(error, &self.store.data().growth, during))
    }
}

/// Sets the fuel and the deadline of one call.
fn grant(store: &mut Store<GuestState>, module: &Module) -> Result<(), Error> {
    if module.inner.engine.class.metering == Metering::Known {
        return Ok(());
    }
    let limits = &module.inner.limits;
    let fault = |error: wasmtime::Error| {
        Error::new(codes::HOST_FAULT, format!("no fuel: {error:#}")).with_source(error)
    };
    store.set_fuel(limits.fuel).map_err(fault)?;
    store.data_mut().stopwatch = Stopwatch::new(limits.deadline);
    // The first tick reads the stopwatch first.
    store.set_epoch_deadline(1);
    Ok(())
}

fn missing(export: &str) -> Error {
    Error::new(codes::MODULE_EXPORTS, format!("the module lost its export {export}"))
}
