//! The `adjudicate` command, for its own program and its own tests: this library has no stable interface.
//!
//! ```text
//! file or stdin -> (YAML to JSON) -> core, or a module in the sandbox -> answer on stdout, error on stderr
//! ```
//!
//! Owns reading and writing, arguments, exit statuses and the layout of answers. Decides nothing: the engine writes the bytes
//! of an answer. The layouts only change white space, or, for `table`, show the data of the answer.
#![cfg_attr(
    not(feature = "modules"),
    allow(dead_code, unused_imports, reason = "only commands for modules need some helpers")
)]

mod args;
#[cfg(feature = "collect")]
mod backtest;
#[cfg(feature = "modules")]
mod bench;
#[cfg(feature = "modules")]
mod build;
mod call;
mod check;
#[cfg(feature = "modules")]
mod cluster;
mod codes;
#[cfg(feature = "collect")]
mod collect;
#[cfg(feature = "modules")]
mod compiler;
mod composition;
#[cfg(feature = "modules")]
mod conformance;
mod cut;
#[cfg(feature = "modules")]
mod directories;
mod documents;
mod drawing;
mod environment;
mod error_text;
mod escaping_writer;
#[cfg(feature = "modules")]
mod evaluator;
#[cfg(not(feature = "modules"))]
#[path = "no_modules/evaluator.rs"]
mod evaluator;
mod excerpt;
mod exit;
mod explain_code;
mod failure;
mod file_size;
#[cfg(feature = "collect")]
mod goal;
mod help;
#[cfg(feature = "collect")]
mod hook;
mod input;
#[cfg(feature = "modules")]
mod inspect;
#[cfg(feature = "modules")]
mod known_engine;
mod layout;
mod lines;
mod logic;
#[cfg(feature = "mcp")]
mod mcp;
#[cfg(feature = "modules")]
mod new;
mod normalize;
#[cfg(feature = "oci")]
mod oci;
mod operation;
mod options;
mod output;
#[cfg(feature = "modules")]
mod pack;
mod parts;
#[cfg(all(any(feature = "collect", feature = "modules"), not(target_family = "wasm")))]
mod progress;
#[cfg(target_family = "wasm")]
#[path = "no_progress/progress.rs"]
mod progress;
mod read_documents;
#[cfg(feature = "modules")]
mod records;
#[cfg(feature = "modules")]
mod reevaluation;
mod replace;
mod requests;
mod schema;
#[cfg(feature = "serve")]
mod server_lines;
#[cfg(feature = "serve")]
mod serving;
#[cfg(all(feature = "nats", feature = "serve"))]
mod sharing;
#[cfg(all(not(feature = "nats"), feature = "serve"))]
#[path = "no_nats/sharing.rs"]
mod sharing;
#[cfg(feature = "modules")]
mod store;
#[cfg(feature = "modules")]
mod store_location;
mod table;
mod test;
mod threads;
#[cfg(feature = "modules")]
mod token;
#[cfg(feature = "modules")]
mod trust;
mod usage;
mod verdict;
mod verify_replay;
#[cfg(any(feature = "collect", feature = "modules"))]
mod web_page;
mod xml;

use std::{env, ffi::OsString, process::ExitCode, thread};

use adjudicate_core::Error;
use exit::Exit;
use failure::Failure;

pub use environment::{Environment, Stream, Variables};
pub use read_documents::ReadDocuments;

/// Runs the command as a process of its own.
#[must_use]
pub fn main() -> ExitCode {
    // Before other threads start, because their memory would count towards the limit.
    #[cfg(feature = "modules")]
    if compiler::is_requested() {
        return adjudicate_sandbox::serve_child();
    }
    main_in(&Environment::of_process())
}

/// Runs the command with the arguments of this process in an environment.
#[must_use]
pub fn main_in(environment: &Environment) -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().collect();
    if let Err(error) = file_size::outlive_limit() {
        let error = Error::caused_by(codes::HOST_FAULT, "signals cannot be handled", error);
        let exit = end(&error.into(), false, environment);
        return if is_hook(&arguments) { Exit::Input } else { exit }.into();
    }
    // A panic has printed its message.
    let failed = if is_hook(&arguments) { ExitCode::from(Exit::Input) } else { ExitCode::FAILURE };
    run(arguments, environment).map_or(failed, ExitCode::from)
}

/// Runs the command with these arguments, of which the first is the name of the program, and returns its exit status.
///
/// # Errors
///
/// The panic of the command.
pub fn run(arguments: Vec<OsString>, environment: &Environment) -> thread::Result<u8> {
    let is_text = environment.shows_error_text && !error_text::asks_for_json(&arguments);
    let is_hook = is_hook(&arguments);
    let command = move || args::parse(arguments, environment)?.run(environment);
    let exit = match threads::run(command) {
        Ok(exit) => exit?.unwrap_or_else(|failure| end(&failure, is_text, environment)),
        Err(error) => {
            let error = Error::caused_by(codes::HOST_FAULT, "no thread can be started", error);
            end(&error.into(), is_text, environment)
        }
    };
    let is_failed = exit != Exit::Answered;
    Ok(if is_hook && is_failed { Exit::Input } else { exit }.number())
}

/// Returns true if a coding agent starts the command as its hook. Agents take the status 2 as a denial, and some take others as consent.
fn is_hook(arguments: &[OsString]) -> bool {
    let mut words = arguments.iter().skip(1);
    words.next().is_some_and(|word| word == "hook")
        && words.next().is_none_or(|word| word != "install" && word != "test")
}

/// Prints an error on standard error, as text or as a line of JSON, and returns the exit status.
fn end(failure: &Failure, is_text: bool, environment: &Environment) -> Exit {
    // If standard error is closed, only the exit status shows the failure.
    match failure {
        Failure::Error(error) if is_text => {
            output::error_text(environment, |width| error_text::error_text(error, width, environment));
        }
        failure => {
            if let Some(line) = failure.line() {
                output::error_line(environment, &line);
            }
        }
    }
    failure.exit()
}
