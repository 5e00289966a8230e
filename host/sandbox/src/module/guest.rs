//! One instance of a module, and a call into it: the dynamic half of the binary interface.

use adjudicate_core::{Error, Operation, module::Reply};
use wasmtime::{Instance, Memory, ModuleExport, Store, TypedFunc, Val, WasmParams, WasmResults};

use super::{Module, admission::Call};
use crate::{
    clock::Stopwatch,
    codes,
    count::counted,
    engine::Metering,
    fault,
    manifest::ABI,
    memory::{self, Growth},
    permits::Permit,
    reply::{self, CallError},
};

/// What the host keeps beside an instance.
#[derive(Debug)]
pub(crate) struct State {
    growth: Growth,
    stopwatch: Stopwatch,
}

/// A running instance. [`call`](Self::call) asks it as a host does. The other functions are the steps of a call, one by one and
/// unchecked, for whoever tests what a module does between them (the crate `adjudicate-conformance`). Holds one of the host's places until it is dropped; drop it after a call that failed, for what
/// state the module is then in, nobody knows.
pub struct Guest {
    store: Store<State>,
    instance: Instance,
    module: Module,
    // Last, so that the place is given back when the instance has left it.
    _permit: Permit,
}

impl std::fmt::Debug for Guest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Guest").field("module", &self.module).finish_non_exhaustive()
    }
}

impl Guest {
    /// Starts a fresh instance, and initialises it if it asks for that.
    pub(crate) fn start(module: &Module) -> Result<Self, Error> {
        Self::start_in(module, module.inner.engine.permits.take()?)
    }

    /// The same for a module that is being loaded.
    pub(crate) fn start_to_load(module: &Module) -> Result<Self, Error> {
        Self::start_in(module, module.inner.engine.loading.take()?)
    }

    fn start_in(module: &Module, permit: Permit) -> Result<Self, Error> {
        let limits = &module.inner.limits;
        let state =
            State { growth: Growth::up_to(limits.memory_bytes), stopwatch: Stopwatch::new(limits.deadline) };
        let mut store = Store::new(&module.inner.engine.wasmtime, state);
        store.limiter(|state| &mut state.growth);
        if module.inner.engine.class.metering == Metering::Fuel {
            store.epoch_deadline_callback(|mut store| store.data_mut().stopwatch.look());
        }
        grant(&mut store, module)?;
        let instance = module.inner.ready.instantiate(&mut store);
        let instance = instance.map_err(|error| fault::of_start(&error, &store.data().growth))?;
        let mut guest = Self { store, instance, module: module.clone(), _permit: permit };
        if let Some(initialize) = &module.inner.exports.initialize {
            guest.run::<(), ()>(initialize, (), "`_initialize`")?;
        }
        Ok(guest)
    }

    /// Asks the instance; what it remembers from earlier calls is its own affair.
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

    /// The answer to a call. A module that was denied memory and then breaks the contract reached a limit.
    pub(crate) fn answer(&mut self, call: &Call<'_>) -> Result<String, CallError> {
        self.checked_answer(call).map_err(|error| match error {
            CallError::Fault(error) => fault::of_contract(error, &self.store.data().growth).into(),
            reported @ CallError::Reported(_) => reported,
        })
    }

    /// The sequence of a call: make room, write, run, read the reply, cut out the answer, check it.
    fn checked_answer(&mut self, call: &Call<'_>) -> Result<String, CallError> {
        let module = self.module.clone();
        let address = self.write(call.input)?;
        // The limit on inputs keeps the length far within `i32`.
        let length = i32::try_from(call.input.len()).unwrap_or(i32::MAX);
        let arguments = (call.operation.number(), address, length);
        let record = self.run(&module.inner.exports.call, arguments, "`adjudicate_call`")?;
        let data = self.memory()?.data(&self.store);
        let bytes = memory::reply(data, record, module.inner.limits.output_bytes)?;
        let trusted = call.document.is_none();
        if let Some(answer) = str::from_utf8(bytes).ok().and_then(reply::framed).filter(|_| trusted) {
            return Ok(answer.to_owned());
        }
        let reply = Reply::of_bytes(bytes)?;
        let answer = match &call.document {
            Some(document) => reply.answer_to(call.operation, document.root()),
            None => reply.answer(),
        };
        answer.map(|answer| answer.text.to_owned()).map_err(|error| CallError::of_reply(&reply, error))
    }

    /// What the module's marker function says.
    fn minor_version(&mut self) -> Result<i32, Error> {
        let module = self.module.clone();
        self.run(&module.inner.exports.marker, (), "`adjudicate_abi_1`")
    }

    /// Refuses a minor version of the interface that this host does not know.
    ///
    /// # Errors
    ///
    /// [`codes::MODULE_ABI`] for such a version; faults as of a call.
    pub fn check_minor_version(&mut self) -> Result<(), Error> {
        match self.minor_version()? {
            0 => Ok(()),
            minor => {
                let message = match u32::try_from(minor) {
                    Ok(minor) => format!("speaks version {ABI}.{minor} of the interface, this host {ABI}.0"),
                    Err(_) => format!("gives {minor} for its minor version of the interface, which is none"),
                };
                Err(Error::new(codes::MODULE_ABI, format!("the module {message}")))
            }
        }
    }

    /// Calls `adjudicate_alloc`, and nothing else, with the fuel of a call. Returns the address as the module gives it: 0 is a
    /// refusal, and no other is checked.
    ///
    /// # Errors
    ///
    /// Faults as of a call.
    pub fn room(&mut self, bytes: u32) -> Result<i32, Error> {
        let module = self.module.clone();
        grant(&mut self.store, &module)?;
        self.run(&module.inner.exports.alloc, bytes.cast_signed(), "`adjudicate_alloc`")
    }

    /// Writes bytes into the memory.
    ///
    /// # Errors
    ///
    /// [`codes::MODULE_MEMORY`] and its like where the memory has no such addresses.
    pub fn put(&mut self, address: i32, bytes: &[u8]) -> Result<(), Error> {
        memory::write(self.memory()?, &mut self.store, address, bytes)
    }

    /// Calls `adjudicate_call` with the number of an operation, about an input that lies in memory. Returns the address of the
    /// reply's record, which is not checked.
    ///
    /// # Errors
    ///
    /// Faults as of a call.
    pub fn ask(&mut self, number: i32, address: i32, bytes: u32) -> Result<i32, Error> {
        let module = self.module.clone();
        let arguments = (number, address, bytes.cast_signed());
        self.run(&module.inner.exports.call, arguments, "`adjudicate_call`")
    }

    /// Calls `adjudicate_configure` with a policy that lies in memory. Returns the address of the reply's record; `None` where the
    /// module takes no policy.
    ///
    /// # Errors
    ///
    /// Faults as of a call.
    pub fn configure_at(&mut self, address: i32, bytes: u32) -> Result<Option<i32>, Error> {
        let module = self.module.clone();
        let Some(configure) = &module.inner.exports.configure else { return Ok(None) };
        self.run(configure, (address, bytes.cast_signed()), "`adjudicate_configure`").map(Some)
    }

    /// The bytes of the reply whose record is at this address. Their form is not checked.
    ///
    /// # Errors
    ///
    /// Faults as of a call, where the record or the reply lies outside of the memory, or the reply is over the limit.
    pub fn reply(&mut self, record: i32) -> Result<&[u8], Error> {
        let limit = self.module.inner.limits.output_bytes;
        memory::reply(self.memory()?.data(&self.store), record, limit)
    }

    /// How many bytes of memory there are.
    ///
    /// # Errors
    ///
    /// [`codes::MODULE_EXPORTS`] where the memory is no longer exported.
    pub fn memory_bytes(&mut self) -> Result<usize, Error> {
        Ok(self.memory()?.data_size(&self.store))
    }

    /// How much fuel was used since it was last granted: when the instance started, and by [`call`](Self::call) and [`room`](Self::room).
    #[must_use]
    pub fn fuel_used(&self) -> u64 {
        self.module.inner.limits.fuel.saturating_sub(self.store.get_fuel().unwrap_or_default())
    }

    /// Gives the instance a policy document for all later calls.
    ///
    /// # Errors
    ///
    /// [`CallError::Reported`] with what the module has to say about the document; faults as of a call.
    pub(crate) fn configure(&mut self, document: &[u8]) -> Result<(), CallError> {
        let address = self.write(document)?;
        let length = u32::try_from(document.len()).unwrap_or(u32::MAX);
        let record = self.configure_at(address, length)?.ok_or_else(|| missing("`adjudicate_configure`"))?;
        let reply = Reply::of_bytes(self.reply(record)?)?;
        match reply.answer().map_err(|error| CallError::of_reply(&reply, error))?.text {
            "null" => Ok(()),
            _ => {
                let message = r#"the reply to `adjudicate_configure` is malformed: expected `{"ok": null}`"#;
                Err(Error::new(codes::MODULE_MALFORMED_REPLY, message).into())
            }
        }
    }

    /// The memory as it is now.
    pub(crate) fn data(&mut self) -> Result<&[u8], Error> {
        Ok(self.memory()?.data(&self.store))
    }

    /// The value of a global that the module exports.
    pub(crate) fn global(&mut self, name: &str) -> Option<Val> {
        let global = self.instance.get_global(&mut self.store, name)?;
        Some(global.get(&mut self.store))
    }

    /// Hands the input over; the address where it is.
    fn write(&mut self, input: &[u8]) -> Result<i32, Error> {
        // Never ask for no room at all: 0 bytes may well be at address 0, which means refusal.
        let room = i32::try_from(input.len().max(1)).unwrap_or(i32::MAX);
        let module = self.module.clone();
        match self.run(&module.inner.exports.alloc, room, "`adjudicate_alloc`")? {
            0 => {
                let message =
                    format!("the module refused to make room for {} of input", counted(room, "byte"));
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
        result.map_err(|error| fault::of_run(&error, &self.store.data().growth, during))
    }
}

/// Grants the fuel and the time of one call.
fn grant(store: &mut Store<State>, module: &Module) -> Result<(), Error> {
    if module.inner.engine.class.metering == Metering::Known {
        return Ok(());
    }
    let limits = &module.inner.limits;
    let fault = |error: wasmtime::Error| Error::new(codes::HOST_FAULT, format!("no fuel: {error:#}"));
    store.set_fuel(limits.fuel).map_err(fault)?;
    store.data_mut().stopwatch = Stopwatch::new(limits.deadline);
    // The stopwatch is first looked at when the next tick comes.
    store.set_epoch_deadline(1);
    Ok(())
}

fn missing(export: &str) -> Error {
    Error::new(codes::MODULE_EXPORTS, format!("the module lost its export {export}"))
}
