//! What each way of failing is called.

use std::io;

use adjudicate_core::{Error, ErrorCode};
use wasmtime::{PoolConcurrencyLimitError, Trap};

use crate::{clock::DeadlineReached, limits::raise, memory::Growth, reason::io_reason};

/// Names what ended a guest before it ran. There is no start function, so what traps is the filling of its memory and
/// its table.
pub(crate) fn of_start(error: &wasmtime::Error, growth: &Growth) -> Error {
    let message = match error.downcast_ref::<Trap>() {
        Some(Trap::MemoryOutOfBounds) => "a data segment lies outside of the module's memory",
        Some(Trap::TableOutOfBounds) => "an element segment lies outside of the module's table",
        _ => return of_run(error, growth, "the start of the module"),
    };
    Error::new(ErrorCode::ModuleTrap, message)
}

/// Names what ended a guest's run. `during` says what the guest was doing, in backticks where it is an export.
pub(crate) fn of_run(error: &wasmtime::Error, growth: &Growth, during: &str) -> Error {
    if error.is::<DeadlineReached>() {
        let message = format!("{during} used up its computing time; if it needs more, {}", raise("deadline"));
        return Error::new(ErrorCode::ModuleDeadline, message);
    }
    if error.is::<PoolConcurrencyLimitError>() {
        return Error::new(ErrorCode::HostOverloaded, "no instance was free; try again");
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::OutOfFuel) => {
            let message = format!("{during} used up its fuel; if it needs more, {}", raise("fuel"));
            Error::new(ErrorCode::ModuleOutOfFuel, message)
        }
        Some(Trap::StackOverflow) => Error::new(
            ErrorCode::ModuleStack,
            format!(
                "{during} exhausted its stack, by recursion for instance; if it needs more, {}",
                raise("stack_bytes")
            ),
        ),
        // A guest that goes on after a denied growth and ends in any trap ended for want of memory.
        Some(trap) if growth.was_denied() => {
            let message = format!(
                "{during} asked for more memory than it may have, and trapped: {}; if it needs more, {}",
                reason(*trap),
                more_memory()
            );
            Error::new(ErrorCode::ModuleMemory, message)
        }
        Some(trap) => Error::new(ErrorCode::ModuleTrap, format!("{during} trapped: {}", reason(*trap))),
        None => Error::new(ErrorCode::HostFault, format!("{during} failed: {}", cause(error))),
    }
}

/// Names a broken contract. A guest that goes on after a denied growth may break it for want of memory, so that is what it is called.
pub(crate) fn of_contract(error: Error, growth: &Growth) -> Error {
    use ErrorCode::{
        ModuleBadPointer, ModuleIllegalNextStep, ModuleInvalidDecision, ModuleMalformedReply, ModuleNotUtf8,
    };
    let is_broken = matches!(
        error.code(),
        ModuleBadPointer
            | ModuleNotUtf8
            | ModuleMalformedReply
            | ModuleInvalidDecision
            | ModuleIllegalNextStep
    );
    if !is_broken || !growth.was_denied() {
        return error;
    }
    let message = format!(
        "the module asked for more memory than it may have, and then broke the contract (`{}`: {}); if it needs more, {}",
        error.code().as_str(),
        error.message(),
        more_memory()
    );
    Error::new(ErrorCode::ModuleMemory, message)
}

/// The way to more memory.
fn more_memory() -> String {
    format!("{} and the maximum that the module declares", raise("memory_bytes"))
}

/// Why the host failed. A file initializes the memory of a module, and the limit on the size of files can forbid it.
fn cause(error: &wasmtime::Error) -> String {
    match error.chain().find_map(|cause| cause.downcast_ref::<io::Error>()) {
        Some(error) => io_reason(error),
        None => format!("{error:#}"),
    }
}

fn reason(trap: Trap) -> String {
    trap.to_string().trim_start_matches("wasm trap: ").to_owned()
}
