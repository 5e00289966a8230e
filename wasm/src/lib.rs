//! The engine as WebAssembly: the core with two interfaces.
//!
//! ```text
//! feature `abi` (default)   abi -> session -> core     engine.wasm: imports nothing, runs anywhere
//! feature `js`              js  ------------> core     what the npm package `adjudicate` is made of
//! feature `evaluate`        js  ------------> core     its entry `adjudicate/evaluate`: the operations of a page
//! ```
//!
//! One wasm file cannot serve both: a wasm-bindgen build imports its glue. Hence two builds of one crate, never both
//! features in one. The core decides; this crate moves bytes in and out.
//!
//! - `abi`: the exports of the policy-module interface, version 1; the only unsafe code here.
//! - `arena`: the memory of that build.
//! - `manifest`: what that build says about itself.
//! - `session`: a call, and a policy that is configured once.
//! - `codes`: the codes of errors that are raised around the engine.
//! - `js`: text in, text out for JavaScript, and a handle for a parsed policy.
//! - `modules`: policy modules that JavaScript loads.
//! - `open_envelope`: envelopes that take changes, for JavaScript.
//! - `verdict`: verdicts for JavaScript.
#![cfg_attr(all(target_arch = "wasm32", feature = "abi"), no_std)]

#[cfg(all(target_arch = "wasm32", feature = "abi", feature = "evaluate"))]
compile_error!("`abi` and `js` are two builds: for `js` or `evaluate`, add `--no-default-features`");

extern crate alloc;

#[cfg(all(any(target_arch = "wasm32", miri), feature = "abi"))]
mod abi;
#[cfg(all(feature = "abi", any(target_arch = "wasm32", miri, test)))]
mod arena;
pub mod codes;
#[cfg(feature = "evaluate")]
pub mod js;
#[cfg(all(feature = "abi", any(target_arch = "wasm32", miri, test)))]
mod manifest;
#[cfg(feature = "js")]
pub mod modules;
#[cfg(feature = "evaluate")]
pub mod open_envelope;
#[cfg(all(feature = "abi", any(target_arch = "wasm32", miri, test)))]
mod session;
#[cfg(feature = "js")]
pub mod verdict;
