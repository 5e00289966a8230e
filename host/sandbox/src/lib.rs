//! Runs policy modules, WebAssembly that judges, in a sandbox: a fresh instance for every call.
//!
//! ```text
//! bytes -> inspect (no code runs) -> compile (here, or in a child with limits), or take from the cache -> Module
//! Module + input -> fresh instance -> reply record -> reply -> answer, or one stable error code
//! engine + policy document -> bake -> a module that is the policy
//! ```
//!
//! This crate is for programs that load modules and call them. It owns the binary interface (version 1) seen from the host, the
//! static checks, the limits, the configuration of wasmtime, compiling and the process that it may be done in, the cache of compiled
//! code, baking, the manifest and the signature section of a module, and the name of each trap. It has no store, keeps no records and
//! trusts no key: `adjudicate-host` does. It reads no files except those of its cache.
//!
//! A module that fails yields an error, never an answer.
//!
//! ```no_run
//! use adjudicate_core::Operation;
//! use adjudicate_sandbox::{Host, Settings};
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

mod cache;
mod carried;
mod clock;
pub mod codes;
mod compiled;
mod compiler;
mod compose;
mod count;
mod digest;
mod engine;
mod fault;
mod host;
mod inspect;
mod limits;
pub mod manifest;
mod memory;
mod module;
mod permits;
pub mod private;
mod reason;
mod reply;
pub mod signature;
mod single_flight;
mod trial;
mod visible;

pub use cache::{Cache, sweep};
pub use carried::{Carried, SECTION as POLICY_SECTION};
pub use compiler::{Child, Compiler, serve_child};
pub use compose::{Base, Failed, SandboxMember, ask, compose};
pub use count::counted;
pub use digest::{Digest, hex, unhex};
pub use host::{Host, ModuleLabel, Settings};
pub use inspect::{Inspection, MemoryShape, inspect};
pub use limits::Limits;
pub use manifest::{Manifest, check_module_name};
pub use module::{Guest, Module, WeakModule};
pub use reason::io_reason;
pub use reply::{CallError, Report};
pub use single_flight::SingleFlight;
pub use trial::TestOutcome;
pub use visible::visible;
