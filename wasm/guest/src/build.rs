//! For build scripts of policies: what the linker must be told, so that the module is one that hosts take.

use std::{env, println};

/// A stack below everything else: one that overflows runs into address 0 and traps.
const STACK_BYTES: u32 = 48 << 10;
/// Room for an everyday call beside stack and statics, so that it need not grow memory.
const HEAP_BYTES: u32 = 64 << 10;
/// The maximum that every module declares, so that hosts can bound it: the default limit of our own.
const MAXIMUM_BYTES: u32 = 16 << 20;

/// Tells cargo how to link a policy module. It is all that `build.rs` of a policy has to do:
///
/// ```no_run
/// // What `main` of build.rs calls:
/// adjudicate_guest::build::main();
/// ```
///
/// Only a package itself can give arguments to its linker: its dependencies cannot, and neither `RUSTFLAGS` nor
/// `.cargo/config.toml` is there wherever it is built from. Without it [`policy!`](macro@crate::policy) does not compile for wasm.
pub fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=ADJUDICATE_GUEST_LINKER=1");
    if env::var_os("CARGO_CFG_TARGET_ARCH").is_none_or(|arch| arch != "wasm32") {
        return;
    }
    println!("cargo::rustc-link-arg-cdylib=-zstack-size={STACK_BYTES}");
    println!("cargo::rustc-link-arg-cdylib=--stack-first");
    println!("cargo::rustc-link-arg-cdylib=--initial-heap={HEAP_BYTES}");
    println!("cargo::rustc-link-arg-cdylib=--max-memory={MAXIMUM_BYTES}");
}
