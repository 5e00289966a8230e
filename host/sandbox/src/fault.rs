//! Errors for the ways in which a guest can fail.

use std::io;

use adjudicate_core::Error;
use adjudicate_trust::io_reason;
use wasmtime::{PoolConcurrencyLimitError, Trap};

use crate::{clock::DeadlineReached, codes, limits::raise, memory::Growth};

/// The error for a guest that failed before its first call. Modules have no start function, so a trap comes from the initialization
/// of memory or table.
pub(crate) fn of_start(error: wasmtime::Error, growth: &Growth) -> Error {
    let message = match error.downcast_ref::<Trap>() {
        Some(Trap::MemoryOutOfBounds) => "a data segment lies outside of the module's memory",
        Some(Trap::TableOutOfBounds) => "an element segment lies outside of the module's table",
        _ => return of_run(error, growth, "the start of the module"),
    };
    Error::new(codes::MODULE_TRAP, message).with_source(error)
}

/// The error for a guest that failed in a call. `during` names the activity, with exports in backticks.
pub(crate) fn of_run(error: wasmtime::Error, growth: &Growth, during: &str) -> Error {
    described(&error, growth, during).with_source(error)
}

fn described(error: &wasmtime::Error, growth: &Growth, during: &str) -> Error {
    if error.is::<DeadlineReached>() {
        let message = format!("{during} used up its computing time; if it needs more, {}", raise("deadline"));
        return Error::new(codes::MODULE_DEADLINE, message);
    }
    if error.is::<PoolConcurrencyLimitError>() {
        return Error::new(codes::HOST_OVERLOADED, "no instance was free; try again");
    }
    match error.downcast_ref::<Trap>() {
        Some(Trap::OutOfFuel) => {
            let message = format!("{during} used up its fuel; if it needs more, {}", raise("fuel"));
            Error::new(codes::MODULE_OUT_OF_FUEL, message)
        }
        Some(Trap::StackOverflow) => Error::new(
            codes::MODULE_STACK,
            format!(
                "{during} exhausted its stack, by recursion for instance; if it needs more, {}",
                raise("stack_bytes")
            ),
        ),
        // A guest that continues after a denied growth and then traps failed for lack of memory.
        Some(trap) if growth.was_denied() => {
            let message = format!(
                "{during} asked for more memory than it may have, and trapped: {}; if it needs more, {}",
                reason(*trap),
                more_memory()
            );
            Error::new(codes::MODULE_MEMORY, message)
        }
        Some(trap) => Error::new(codes::MODULE_TRAP, format!("{during} trapped: {}", reason(*trap))),
        None => Error::new(codes::HOST_FAULT, format!("{during} failed: {}", cause(error))),
    }
}

/// The error for a broken contract. A guest that continues after a denied growth may break the contract for lack of memory, so it
/// is reported as such.
pub(crate) fn of_contract(error: Error, growth: &Growth) -> Error {
    let is_broken = matches!(
        error.code(),
        codes::MODULE_BAD_POINTER
            | codes::MODULE_NOT_UTF8
            | codes::MODULE_MALFORMED_REPLY
            | codes::MODULE_INVALID_DECISION
            | codes::MODULE_ILLEGAL_NEXT_STEP
    );
    if !is_broken || !growth.was_denied() {
        return error;
    }
    let message = format!(
        "the module asked for more memory than it may have, and then broke the contract (`{}`: {}); if it needs more, {}",
        error.code(),
        error.message(),
        more_memory()
    );
    Error::new(codes::MODULE_MEMORY, message).with_source(error)
}

/// The advice for modules that need more memory.
fn more_memory() -> String {
    format!("{} and the maximum that the module declares", raise("memory_bytes"))
}

/// The cause of a failure of the host. The memory of a module is initialized from a file, which the limit on file sizes can forbid.
fn cause(error: &wasmtime::Error) -> String {
    match error.chain().find_map(|cause| cause.downcast_ref::<io::Error>()) {
        Some(error) => io_reason(error),
        None => format!("{error:#}"),
    }
}

fn reason(trap: Trap) -> String {
    trap.to_string().trim_start_matches("wasm trap: ").to_owned()
}
