//! What each way of failing is called.

use adjudicate_core::{Error, ErrorCode};
use wasmtime::{PoolConcurrencyLimitError, Trap};

use crate::{clock::DeadlineReached, memory::Growth};

/// Names what ended a guest's run. `during` says what the guest was doing, in backticks where it is an export.
pub(crate) fn of_run(error: &wasmtime::Error, growth: &Growth, during: &str) -> Error {
    if error.is::<DeadlineReached>() {
        let message = format!("{during} used up its computing time");
        return Error::new(ErrorCode::ModuleDeadline, message);
    }
    if error.is::<PoolConcurrencyLimitError>() {
        return Error::new(ErrorCode::HostOverloaded, "no instance was free; try again");
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::OutOfFuel) => Error::new(ErrorCode::ModuleOutOfFuel, format!("{during} used up its fuel")),
        Some(Trap::StackOverflow) => Error::new(
            ErrorCode::ModuleStack,
            format!("{during} exhausted its stack, by recursion for instance"),
        ),
        // A guest that goes on after a denied growth and ends in any trap ended for want of memory.
        Some(trap) if growth.was_denied() => {
            let message =
                format!("{during} asked for more memory than its limit, and trapped: {}", reason(*trap));
            Error::new(ErrorCode::ModuleMemory, message)
        }
        Some(trap) => Error::new(ErrorCode::ModuleTrap, format!("{during} trapped: {}", reason(*trap))),
        None => Error::new(ErrorCode::HostFault, format!("{during} failed: {error:#}")),
    }
}

fn reason(trap: Trap) -> String {
    trap.to_string().trim_start_matches("wasm trap: ").to_owned()
}
