//! The engine as an Extism plugin. An export takes the bytes of a call and returns the bytes of the engine module's reply.
//!
//! The plugin reads its input with `input_bytes`, which copies it once. A parameter of the function is copied twice.

use adjudicate_core::{reply, Operation};
use extism_pdk::{input_bytes, plugin_fn, FnResult};

/// Calls `evaluate` with the bytes of a call.
#[plugin_fn]
pub fn evaluate() -> FnResult<String> {
    Ok(reply(Operation::Evaluate.call(&input_bytes())))
}

/// Calls the operation whose number is the first byte of the input, so that the plugin has as much code as the engine module.
#[plugin_fn]
pub fn call() -> FnResult<String> {
    let input = input_bytes();
    let (number, call) =
        input.split_first().ok_or_else(|| extism_pdk::Error::msg("the number of an operation is missing"))?;
    let operation = Operation::from_number(i32::from(*number));
    let operation =
        operation.ok_or_else(|| extism_pdk::Error::msg("there is no operation with this number"))?;
    Ok(reply(operation.call(call)))
}
