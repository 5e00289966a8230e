//! The command as a WebAssembly module with WASI, for the npm package: `host/cli` without modules, slots and servers.
//!
//! Files are those of WASI. Everything else of the operating system is a message to the program that runs the module (`js/src/bin`).

#[cfg(target_os = "wasi")]
mod node;

use std::process::ExitCode;

#[cfg(target_os = "wasi")]
fn main() -> ExitCode {
    adjudicate_collect::set_host(node::call);
    adjudicate::main_in(&node::environment())
}

/// On other systems, the same command without a host.
#[cfg(not(target_os = "wasi"))]
fn main() -> ExitCode {
    adjudicate::main()
}
