//! The build script of policies: it configures the linker, so that hosts accept the module.

use std::{env, println};

/// The stack lies below everything else, so an overflow runs into address 0 and traps.
const STACK_BYTES: u32 = 48 << 10;
/// Room for an everyday call in addition to stack and statics, so that memory need not grow.
const HEAP_BYTES: u32 = 64 << 10;
/// The maximum that every module declares, so that hosts can bound it: our host's default limit.
const MAXIMUM_BYTES: u32 = 16 << 20;

/// Configures the linker for a policy module. The `build.rs` of a policy needs nothing else:
///
/// ```no_run
/// // In `main` of build.rs:
/// adjudicate_guest::build::main();
/// ```
///
/// Only a package itself can give arguments to its linker. Its dependencies cannot, and `RUSTFLAGS` and
/// `.cargo/config.toml` are missing in other builds. Without this call, [`policy!`](macro@crate::policy) does not
/// compile for wasm.
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
