//! Configures an engine in the sandbox and builds a module from its state.
//!
//! `wasmtime-wizer` rewrites the module (globals, sizes, data). This file gives it access to the instance.

use std::{
    future::Future,
    pin::pin,
    task::{Context, Poll, Waker},
};

use adjudicate_core::Error;
use wasmtime::Val;
use wasmtime_wizer::{InstanceState, SnapshotVal, ValType, Wizer};

use crate::{CallError, codes, host::Host, inspect::PAGE, limits::Limits, module::Guest};

/// Memory that a policy leaves at least for calls, within the initial size of the engine's memory. Calls that need more grow the
/// memory, as in the bare engine.
const FREE: usize = 32 << 10;

/// Returns the engine as a configured module.
pub(super) fn configured(
    host: &Host,
    engine: &[u8],
    document: &[u8],
    limits: Limits,
) -> Result<Vec<u8>, CallError> {
    let mut wizer = Wizer::new();
    // The snapshot does not export this function.
    wizer.init_func("adjudicate_configure");
    let (context, instrumented) = wizer.instrument(engine).map_err(unsuited)?;
    // The module is loaded as any other: inspected, compiled within bounds, run in the sandbox.
    let module = host.load_with(&instrumented, limits)?;
    let initial = usize::try_from(module.inspection().memory.initial_bytes).unwrap_or(usize::MAX);
    let mut guest = Guest::start_to_load(&module)?;
    let before = used(guest.data()?);
    guest.configure(document).map_err(|error| of_reading(error, document.len()))?;
    let free = initial.saturating_sub(before).min(FREE);
    let mut state = Configured { guest: &mut guest, initial, free, is_lost: false };
    let snapshot = finished(pin!(wizer.snapshot(&context, &mut state)));
    let is_lost = state.is_lost;
    match snapshot {
        Some(Ok(snapshot)) if !is_lost => Ok(snapshot),
        Some(Err(error)) => Err(unsuited(error).into()),
        _ => Err(fault("what it is in cannot be read").into()),
    }
}

/// A configured instance, in the form that the snapshot needs.
struct Configured<'g> {
    guest: &'g mut Guest,
    /// Initial size of the engine's memory in bytes.
    initial: usize,
    free: usize,
    /// True if the snapshot requested a part that does not exist.
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

    /// The initial memory of the new module. Configuring grows the memory and leaves zeros that no call needs. Without this cut,
    /// every call would map and release them.
    async fn memory_contents(&mut self, _: &str, contents: impl FnOnce(&[u8]) + Send) {
        let Ok(data) = self.guest.data() else {
            self.is_lost = true;
            return contents(&[]);
        };
        let used = used(data);
        let needed = (used + self.free).next_multiple_of(PAGE).max(self.initial);
        let mut image = data.get(..used).unwrap_or_default().to_vec();
        image.resize(needed, 0);
        contents(&image);
    }
}

/// The number of bytes up to the last one that is not zero.
fn used(data: &[u8]) -> usize {
    data.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1)
}

/// Returns the result of a future that never waits.
fn finished<T>(future: std::pin::Pin<&mut impl Future<Output = T>>) -> Option<T> {
    match future.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

/// The error of an engine that did not read a document of so many bytes. If the engine reached a limit, the message names the size.
fn of_reading(error: CallError, bytes: usize) -> CallError {
    match error {
        CallError::Fault(fault)
            if matches!(fault.code(), codes::MODULE_MEMORY | codes::MODULE_OUT_OF_FUEL) =>
        {
            let reason = fault.message();
            let message = format!(
                "the engine cannot read the policy, which has {bytes} bytes and may be too large for it: {reason}"
            );
            Error::new(fault.code(), message).with_source(fault).into()
        }
        other => other,
    }
}

fn unsuited(error: wasmtime::Error) -> Error {
    let message = format!("the engine: no snapshot can be taken of it: {error:#}");
    Error::new(codes::MODULE_FEATURE, message).with_source(error)
}

fn fault(what: &str) -> Error {
    Error::new(codes::HOST_FAULT, format!("no snapshot can be taken of the engine: {what}"))
}
