//! From a run to a decision: runs validators, asks git, reads reports, and keeps the state of the run.
//!
//! - [`find`](find()) finds the root of a repository: the nearest folder upwards with an `adjudicate.yaml`.
//! - [`collect`] returns the envelope of the evidence.
//! - [`run`] collects, evaluates and refines, and stores the new state of the run.
//! - [`baseline()`] runs the validators on the base revision, and stores their results for later collections.
//! - [`init`](init()) writes the configuration of a repository, and [`configuration_for`] one for the evidence that policies read.
//! - [`goal`] makes a configuration and a policy from sentences of a fixed grammar.
//! - [`hooks`] judges the calls and the turns of coding agents.
//! - [`backtest`] judges the turns that transcripts of coding agents tell of.
//!
//! Evidence that could not be collected becomes an item of `evidence.uncollected`. Errors are left for the state, because a decision
//! without a state would forget earlier evaluations.
#![forbid(unsafe_code)]

#[cfg(not(target_os = "unknown"))]
pub mod backtest;
mod baseline;
mod collection;
mod command;
mod decide;
#[cfg(not(target_os = "unknown"))]
mod engine;
mod error;
mod find;
mod git;
#[cfg(not(target_os = "unknown"))]
pub mod goal;
#[cfg(not(target_family = "wasm"))]
mod group;
#[cfg(not(target_os = "unknown"))]
pub mod hooks;
#[cfg(not(target_family = "wasm"))]
mod host;
#[cfg(target_os = "wasi")]
#[path = "wasi/host.rs"]
mod host;
#[cfg(not(target_os = "unknown"))]
mod init;
pub mod message;
#[cfg(not(target_os = "unknown"))]
mod native;
#[cfg(not(target_os = "unknown"))]
mod needed;
#[cfg(not(target_os = "unknown"))]
mod node;
mod options;
#[cfg(not(target_family = "wasm"))]
mod process;
mod reports;
mod state;
mod system;
mod validators;
pub mod wire;

pub use collection::Collected;
pub use decide::Decided;
pub use error::CollectError;
pub use find::CONFIGURATION_NAMES;
#[cfg(not(target_os = "unknown"))]
pub use find::find;
#[cfg(target_os = "wasi")]
pub use host::{HostCall, call_host, keep_mode, limit, listen, private_file, read_file, set_host};
#[cfg(not(target_os = "unknown"))]
pub use host::{real_path, run_process};
#[cfg(not(target_os = "unknown"))]
pub use init::{InitialFiles, init};
#[cfg(not(target_os = "unknown"))]
pub use native::{BaseDocuments, baseline, collect, locate, run};
#[cfg(not(target_os = "unknown"))]
pub use needed::configuration_for;
pub use options::{CollectOptions, Decide, Progress};

/// Collections for hosts other than the native one: futures that do no I/O.
///
/// [`System::resume`](requests::System::resume) returns each [`SystemRequest`](requests::SystemRequest), and takes the answer of the host to it. To
/// collect with the operating system, call [`collect`](collect()) and [`run`](run()) instead.
pub mod requests {
    pub use crate::{
        baseline::baseline,
        collection::{collect, locate},
        command::{CommandProgram, End, Ended, PathBytes, Process},
        decide::run,
        system::{About, FolderEntry, Step, System, SystemAnswer, SystemFileKind, SystemRequest},
    };
}

/// The example of the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
