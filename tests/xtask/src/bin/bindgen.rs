//! wasm-bindgen's command line and its test runner, from the version that `Cargo.lock` pins.
//!
//! `bindgen generate ARGS` is `wasm-bindgen ARGS`; `bindgen run-tests ARGS` is `wasm-bindgen-test-runner ARGS`. One
//! small binary of the workspace: you install neither tool, and both have the version of the library.

use std::{env, ffi::OsString, process::ExitCode};

fn main() -> ExitCode {
    // The first argument chooses the tool. The rest has the form of that tool's own arguments, with its name first.
    let mut arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let tool = arguments.first().and_then(|tool| tool.to_str()).unwrap_or_default().to_owned();
    let result = match tool.as_str() {
        "generate" => wasm_bindgen_cli::wasm_bindgen::run_cli_with_args(arguments.drain(..)),
        "run-tests" => wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(arguments.drain(..)),
        other => {
            eprintln!("bindgen: `{other}` is neither `generate` nor `run-tests`");
            return ExitCode::from(64);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:?}");
            ExitCode::FAILURE
        }
    }
}
