//! From a run to a decision: runs validators, asks git, reads reports, and keeps the state of the run.
//!
//! - [`find`](find()) finds the root of a repository: the nearest folder upwards with an `adjudicate.yaml`.
//! - [`collect`] returns the envelope of the evidence.
//! - [`run`] collects, evaluates and refines, and stores the new state of the run.
//! - [`init`](init()) writes the configuration of a repository.
//! - [`hooks`] judges the calls and the turns of coding agents.
//!
//! Evidence that could not be collected becomes an item of `evidence.uncollected`. Errors are left for the state, because a decision
//! without a state would forget earlier evaluations.
#![forbid(unsafe_code)]

mod collection;
mod decide;
mod error;
mod find;
mod git;
mod group;
pub mod hooks;
mod init;
mod options;
mod process;
mod reports;
mod state;
mod validators;

pub use collection::{Collected, collect};
pub use decide::{Decided, run};
pub use error::CollectError;
pub use find::{CONFIGURATION_NAMES, find};
pub use init::init;
pub use options::{Options, Progress};

/// The example of the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
