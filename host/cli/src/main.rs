//! The `adjudicate` command.
//!
//! ```text
//! file or stdin -> (YAML to JSON) -> core, or a module in the sandbox -> answer on stdout, error on stderr
//! ```
//!
//! Owns reading and writing, arguments, exit statuses and the layout of answers. Decides nothing: the engine writes the bytes
//! of an answer. The layouts only change white space, or, for `table`, show the data of the answer.

mod args;
mod build;
mod call;
mod check;
mod cluster;
mod codes;
mod compiler;
mod composition;
mod conformance;
mod directories;
mod drawing;
mod evaluator;
mod exit;
mod failure;
mod fields;
mod file_size;
mod input;
mod inspect;
mod known_engine;
mod layout;
mod lines;
mod logic;
mod new;
mod normalize;
#[cfg(feature = "oci")]
mod oci;
mod operation;
mod options;
mod output;
mod pack;
mod parts;
mod place;
mod records;
mod reevaluation;
mod replace;
mod replay;
mod requests;
mod schema;
#[cfg(feature = "serve")]
mod serving;
#[cfg(all(feature = "nats", feature = "serve"))]
mod sharing;
#[cfg(all(not(feature = "nats"), feature = "serve"))]
#[path = "alone/sharing.rs"]
mod sharing;
mod store;
mod table;
mod test;
mod token;
mod trust;
mod usage;
mod xml;
mod yaml;

use std::{process::ExitCode, thread};

use adjudicate_core::Error;
use failure::Failure;

/// The stack size of the thread that runs the command. Guest code runs on it, and a small `ulimit -s` must not end the process.
const STACK_BYTES: usize = 8 << 20;

fn main() -> ExitCode {
    // Before other threads start, because their memory would count.
    if compiler::is_wanted() {
        return adjudicate_sandbox::serve_child();
    }
    if let Err(error) = file_size::outlive_limit() {
        let message = format!("signals cannot be handled: {error}");
        return end(&Error::new(codes::HOST_FAULT, message).into());
    }
    let command = thread::Builder::new().stack_size(STACK_BYTES).spawn(|| args::parse()?.run());
    match command.map(thread::JoinHandle::join) {
        Ok(Ok(Ok(exit))) => exit.into(),
        Ok(Ok(Err(failure))) => end(&failure),
        // The thread panicked, and printed its message.
        Ok(Err(_)) => ExitCode::FAILURE,
        Err(error) => {
            let message = format!("no thread can be started: {error}");
            end(&Error::new(codes::HOST_FAULT, message).into())
        }
    }
}

/// Prints an error on standard error, and returns the exit status.
fn end(failure: &Failure) -> ExitCode {
    if let Some(line) = failure.line() {
        // With standard error gone, the exit status is all that is left to say it.
        output::error_line(&line);
    }
    failure.exit().into()
}
