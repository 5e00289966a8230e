//! A sandbox for policy modules, which are WebAssembly modules that make decisions. Every call runs in a fresh instance.
//!
//! ```text
//! bytes -> inspect (no code runs) -> compile (here, or in a child with limits), or take from the cache -> Module
//! Module + input -> fresh instance -> reply record -> reply -> answer, or one stable error code
//! engine + policy document -> bake -> a module that is the policy
//! ```
//!
//! This crate is for programs that load modules and call them. It owns the host side of the binary interface (version
//! 1): static checks, limits, the configuration of wasmtime, and compiling in this process or a child. It also owns the
//! cache of compiled code, and baking. It has no keys and signatures, which are in `adjudicate-trust`, and no store and records, which
//! are in `adjudicate-host`. It reads no files except those of its cache.
//!
//! A module that fails gives an error and no answer.
//!
//! ```no_run
//! use adjudicate_core::Operation;
//! use adjudicate_sandbox::{Host, HostSettings};
//!
//! let host = Host::new(HostSettings::default())?;
//! let module = host.load(&std::fs::read("engine.wasm")?)?;
//! println!("{} {}", module.manifest().name, module.digest());
//! let answer = module.call(Operation::Evaluate, &std::fs::read("envelope.json")?)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Module::evaluate`] and [`Module::refine`] take an owned envelope and return typed answers.
//!
//! # Stack
//!
//! Guest code runs on the caller's thread and may use [`Limits::stack_bytes`] of its stack. Call from a thread with at least 1 MiB
//! of free stack (Rust threads have 2 MiB by default). A guest that exhausts the *thread's* stack ends the process.

mod cache;
mod clock;
pub mod codes;
mod compiled;
mod compiler;
mod embedded_policy;
mod engine;
mod fault;
mod host;
mod inspect;
mod limits;
mod memory;
mod module;
mod permits;
mod single_flight;
mod trial;
mod typed;

pub use adjudicate_trust::{CallError, Digest, ErrorPart, Manifest, ReportedError, manifest};
pub use cache::{Cache, sweep};
pub use compiler::{Child, Compiler, serve_child};
pub use embedded_policy::{EmbeddedPolicy, SECTION as POLICY_SECTION};
pub use host::{Host, HostSettings, ModuleLabel};
pub use inspect::{Inspection, MemoryShape, inspect};
pub use limits::{Limits, OwnLimits};
pub use module::{Guest, Module, WeakModule};
pub use single_flight::SingleFlight;
pub use trial::TestOutcome;
pub use typed::{Answered, TypedAnswer};
