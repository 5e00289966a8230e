//! Gives the policy module the memory that makes fresh instances cheap (SPEC sections 13.1 and 13.3).
//!
//! A 48 KiB stack below everything else (an overflow runs into address 0 and traps), and 256 KiB to begin with, so
//! that beside the engine's tables there is room for an everyday call, which then neither grows memory nor touches pages
//! that the host has to clean. The declared maximum lets every host, browsers included, bound the module.

use std::env;

const STACK_BYTES: u32 = 48 << 10;
const INITIAL_MEMORY_BYTES: u32 = 256 << 10;
const MAXIMUM_MEMORY_BYTES: u32 = 16 << 20;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is_wasm = env::var_os("CARGO_CFG_TARGET_ARCH").is_some_and(|arch| arch == "wasm32");
    // The wasm-bindgen build keeps the defaults: its memory is JavaScript's to bound.
    if !is_wasm || env::var_os("CARGO_FEATURE_ABI").is_none() {
        return;
    }
    for argument in [
        format!("-zstack-size={STACK_BYTES}"),
        "--stack-first".to_owned(),
        format!("--initial-memory={INITIAL_MEMORY_BYTES}"),
        format!("--max-memory={MAXIMUM_MEMORY_BYTES}"),
    ] {
        println!("cargo::rustc-link-arg-cdylib={argument}");
    }
}
