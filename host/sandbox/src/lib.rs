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
//! cache of compiled code, baking, manifests, and the signature section. It has no store, records or keys; those are in
//! `adjudicate-host`. It reads no files except those of its cache.
//!
//! A module that fails gives an error and no answer.
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
//! [`Module::evaluate`] and [`Module::refine`] take an owned envelope and return typed answers.
//!
//! # Stack
//!
//! Guest code runs on the caller's thread and may use [`Limits::stack_bytes`] of its stack. Call from a thread with at least 1 MiB
//! of free stack (Rust threads have 2 MiB by default). A guest that exhausts the *thread's* stack ends the process.
#![cfg_attr(not(feature = "modules"), allow(dead_code, reason = "only modules need some helpers"))]

#[cfg(feature = "modules")]
mod cache;
#[cfg(feature = "modules")]
mod clock;
pub mod codes;
#[cfg(feature = "modules")]
mod compiled;
#[cfg(feature = "modules")]
mod compiler;
mod compose;
mod count;
#[cfg(feature = "modules")]
mod embedded_policy;
#[cfg(feature = "modules")]
mod engine;
#[cfg(feature = "modules")]
mod fault;
#[cfg(feature = "modules")]
mod host;
#[cfg(feature = "modules")]
mod inspect;
#[cfg(feature = "modules")]
mod limits;
pub mod manifest;
#[cfg(feature = "modules")]
mod memory;
#[cfg(feature = "modules")]
mod module;
#[cfg(not(feature = "modules"))]
#[path = "no_modules/module.rs"]
mod module;
#[cfg(feature = "modules")]
mod permits;
pub mod private;
mod reason;
mod reply;
pub mod signature;
#[cfg(feature = "modules")]
mod single_flight;
#[cfg(feature = "modules")]
mod trial;
#[cfg(feature = "modules")]
mod typed;
mod visible;

pub use adjudicate_core::module::{Digest, hex, unhex};
pub use compose::{Base, MemberFailure, SandboxMember, call_module, compose};
pub use count::counted;
pub use manifest::{Manifest, check_module_name};
pub use module::Module;
pub use reason::io_reason;
pub use reply::{CallError, ErrorPart, ReportedError};
#[cfg(feature = "modules")]
pub use running::*;
pub use visible::visible;

/// The parts that run modules.
#[cfg(feature = "modules")]
mod running {
    pub use crate::{
        cache::{Cache, sweep},
        compiler::{Child, Compiler, serve_child},
        embedded_policy::{EmbeddedPolicy, SECTION as POLICY_SECTION},
        host::{Host, ModuleLabel, Settings},
        inspect::{Inspection, MemoryShape, inspect},
        limits::{Limits, OwnLimits},
        module::{Guest, WeakModule},
        single_flight::SingleFlight,
        trial::TestOutcome,
        typed::{Answered, TypedAnswer},
    };
}
