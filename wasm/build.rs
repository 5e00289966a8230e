//! Gives the policy module the memory that makes fresh instances cheap (docs/reference/modules.md).
//!
//! The module has a 48 KiB stack below everything else, so that an overflow runs into address 0 and traps. It begins
//! with 256 KiB, which has room for the engine's tables and an everyday call. Such a call does not grow memory, and
//! touches no further pages that the host must clean. The declared maximum lets every host, browsers included, bound
//! the module.

use std::env;

const STACK_BYTES: u32 = 48 << 10;
const INITIAL_MEMORY_BYTES: u32 = 256 << 10;
const MAXIMUM_MEMORY_BYTES: u32 = 16 << 20;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is_wasm = env::var_os("CARGO_CFG_TARGET_ARCH").is_some_and(|arch| arch == "wasm32");
    // The wasm-bindgen build keeps the defaults, because JavaScript bounds its memory.
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
