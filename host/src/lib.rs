//! Runs policy modules, WebAssembly that judges, in a sandbox: a fresh instance for every call. Keeps their versions in a store, and
//! swaps what decides without losing a call.
//!
//! ```text
//! bytes -> inspect (no code runs) -> compile (here, or in a child with limits), or take from the cache -> Module
//! Module + input -> fresh instance -> reply record -> reply -> answer, or one stable error code
//!
//! bytes -> install: trusted? compiles? passes its own tests? -> Store -> activate, shadow, canary, rollback -> Slot
//! Slot + input -> whoever is in force -> answer, or what the slot does about a fault -> decision record
//! Slots of several hosts -> a Ledger that they share -> follow -> each host's Store, by its own rules
//! records, or any calls -> reevaluation: what another version would have decided -> report
//! ```
//!
//! What this crate owns: the binary interface (version 1) seen from the host, the static checks, the limits, the
//! engines' configuration, compiling and the process that it may be done in, the cache of compiled code, and what each
//! trap is called; the store, slots, whom they trust, decision records, and what becomes of an entry of a ledger that hosts share.
//! What it does not do: judge anything itself, speak HTTP or with such a ledger, or read files other than its store, its cache and
//! keys. A module that fails yields an error, never an
//! answer; a slot may be told to make that the fail-closed decision, or to ask the last good version.
//!
//! ```no_run
//! use adjudicate_core::Operation;
//! use adjudicate_host::{Host, Settings};
//!
//! let host = Host::new(Settings::default())?;
//! let module = host.load(&std::fs::read("engine.wasm")?)?;
//! println!("{} {}", module.manifest().name, module.digest());
//! let answer = module.call(Operation::Evaluate, &std::fs::read("envelope.json")?)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Stack
//!
//! Guest code runs on the caller's thread and may use [`Limits::stack_bytes`] of its stack. Call from a thread
//! that has at least 1 MiB to spare (the default of Rust threads is 2 MiB): a guest that exhausts the *thread's*
//! stack ends the process.

mod admission;
mod bake;
mod cache;
mod clock;
mod compiled;
mod compiler;
pub mod conformance;
mod count;
mod digest;
mod engine;
mod fault;
mod guest;
mod host;
mod inspect;
mod jobs;
mod limits;
pub mod manifest;
mod memory;
mod module;
mod panel;
mod permits;
mod private;
mod reason;
pub mod record;
pub mod reevaluation;
mod reply;
mod retention;
mod slot;
mod store;
mod token;
mod trial;
pub mod trust;
mod visible;

pub use bake::{ModuleLabel, SECTION as POLICY_SECTION};
pub use cache::Cache;
pub use compiler::{Child, Compiler, serve_child};
pub use count::counted;
pub use digest::Digest;
pub use guest::Guest;
pub use host::{Host, Settings};
pub use inspect::{Inspection, MemoryShape, inspect};
pub use limits::Limits;
pub use manifest::{Manifest, check_module_name};
pub use module::Module;
pub use panel::{Base, Failed, Voice, compose};
pub use reason::io_reason;
pub use record::{
    Acknowledge, Chain, HashKind, Link, Observation, Pattern, Record, RecordSettings, Recorder,
};
pub use reply::{CallError, Report};
pub use retention::Retention;
pub use slot::{
    Action, By, Canary, Composition, Decided, Difference, Entry, FaultRate, Installed, Ledger, Member,
    OnFault, OwnLimits, Proposed, Slot, SlotSettings, Slots, State, Statistics, Terms, Why,
};
pub use store::{Collected, InstalledModule, RecordRange, Store};
pub use token::{Keyring, Role, Token};
pub use trial::TestOutcome;
pub use visible::{is_hidden, visible};
