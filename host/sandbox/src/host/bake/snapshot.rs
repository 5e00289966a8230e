//! Configuring an engine in the sandbox, and making a module of the state that it is in then.
//!
//! What is written anew of the module (globals, sizes, data) is `wasmtime-wizer`'s work; here is what it needs to see.

use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

use adjudicate_core::Error;
use wasmtime::Val;
use wasmtime_wizer::{InstanceState, SnapshotVal, ValType, Wizer};

use crate::{codes, host::Host, inspect::PAGE, limits::Limits, module::Guest, reply::CallError};

/// How much room a policy leaves at least for calls, of what the engine has at the start. Calls that need more grow the
/// memory, as they do with the bare engine.
const ROOM: usize = 32 << 10;

/// The engine as a module that is configured already.
pub(super) fn take(
    host: &Host,
    engine: &[u8],
    document: &[u8],
    limits: Limits,
) -> Result<Vec<u8>, CallError> {
    let mut wizer = Wizer::new();
    // Which is done with then: the snapshot does not export it.
    wizer.init_func("adjudicate_configure");
    let (context, instrumented) = wizer.instrument(engine).map_err(|error| unsuited(&error))?;
    // It is loaded as any other module is: inspected, compiled within bounds, run in the sandbox.
    let module = host.load_with(&instrumented, limits)?;
    let initial = usize::try_from(module.inspection().memory.initial_bytes).unwrap_or(usize::MAX);
    let mut guest = Guest::start_to_load(&module)?;
    let before = used(guest.data()?);
    guest.configure(document).map_err(|error| of_reading(error, document.len()))?;
    let room = initial.saturating_sub(before).min(ROOM);
    let mut state = Configured { guest: &mut guest, initial, room, is_lost: false };
    let snapshot = finished(pin!(wizer.snapshot(&context, &mut state)));
    let is_lost = state.is_lost;
    match snapshot {
        Some(Ok(snapshot)) if !is_lost => Ok(snapshot),
        Some(Err(error)) => Err(unsuited(&error).into()),
        _ => Err(fault("what it is in cannot be read").into()),
    }
}

/// An instance that was configured, as the snapshot sees it.
struct Configured<'g> {
    guest: &'g mut Guest,
    /// Bytes of memory that the engine begins with.
    initial: usize,
    room: usize,
    /// Whether something was asked for that is not there.
    is_lost: bool,
}

impl InstanceState for Configured<'_> {
    async fn global_get(&mut self, name: &str, _: ValType) -> SnapshotVal {
        match self.guest.global(name) {
            Some(Val::I32(value)) => SnapshotVal::I32(value),
            Some(Val::I64(value)) => SnapshotVal::I64(value),
            Some(Val::F32(bits)) => SnapshotVal::F32(bits),
            Some(Val::F64(bits)) => SnapshotVal::F64(bits),
            _ => {
                self.is_lost = true;
                SnapshotVal::I32(0)
            }
        }
    }

    /// The memory as an instance is to begin with it. Configuring makes it grow, and leaves zeros there that no call needs:
    /// they would be mapped, and given back, for each of them.
    async fn memory_contents(&mut self, _: &str, contents: impl FnOnce(&[u8]) + Send) {
        let Ok(data) = self.guest.data() else {
            self.is_lost = true;
            return contents(&[]);
        };
        let used = used(data);
        let needed = (used + self.room).next_multiple_of(PAGE).max(self.initial);
        let mut image = data.get(..used).unwrap_or_default().to_vec();
        image.resize(needed, 0);
        contents(&image);
    }
}

/// How many bytes there are up to the last that is not zero.
fn used(data: &[u8]) -> usize {
    data.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1)
}

/// What a future comes to that never waits.
fn finished<T>(future: std::pin::Pin<&mut impl Future<Output = T>>) -> Option<T> {
    match future.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

/// Why an engine did not read a document of so many bytes; where it ran out of what it may use, that may be why.
fn of_reading(error: CallError, bytes: usize) -> CallError {
    match error {
        CallError::Fault(fault)
            if matches!(fault.code(), codes::MODULE_MEMORY | codes::MODULE_OUT_OF_FUEL) =>
        {
            let told = fault.message();
            let message = format!(
                "the engine cannot read the policy, which has {bytes} bytes and may be too large for it: {told}"
            );
            Error::new(fault.code(), message).into()
        }
        other => other,
    }
}

fn unsuited(error: &wasmtime::Error) -> Error {
    let message = format!("the engine: no snapshot can be taken of it: {error:#}");
    Error::new(codes::MODULE_FEATURE, message)
}

fn fault(what: &str) -> Error {
    Error::new(codes::HOST_FAULT, format!("no snapshot can be taken of the engine: {what}"))
}
