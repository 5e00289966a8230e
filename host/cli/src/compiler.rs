//! Compiles modules in a child process: this program again, with a hidden command.

use adjudicate_core::Error;
use adjudicate_sandbox::{Cache, Child, Compiler, Host, HostSettings, Limits};

use crate::{directories, environment::Environment};

/// The hidden command. Without a host at its other end it reports an error.
const COMMAND: &str = "compile-module";

/// Returns the compiler of all modules that this program loads. It limits the time and memory of the child process.
///
/// # Errors
///
/// [`host_fault`](crate::codes::HOST_FAULT) if the system does not report the path of this program.
pub(crate) fn child_process(env: &Environment) -> Result<Compiler, Error> {
    let child = match &env.program {
        Some(program) => Child::new(program, [COMMAND]),
        None => Child::of_this_program([COMMAND])?,
    };
    Ok(Compiler::Child(child))
}

/// Returns a host for one module and one call at a time, without known engines. Without a usable cache it compiles the
/// module each time.
///
/// # Errors
///
/// Those of [`child_process`] and of [`Host::new`].
pub(crate) fn host(limits: Limits, env: &Environment) -> Result<Host, Error> {
    Host::new(HostSettings {
        limits,
        instances: 1,
        cache: directories::cache(env).and_then(|directory| Cache::open(&directory).ok()),
        compiler: child_process(env)?,
        ..HostSettings::default()
    })
}

/// Returns true if this process was started to compile a module.
pub(crate) fn is_requested() -> bool {
    std::env::args_os().nth(1).is_some_and(|argument| argument == COMMAND)
}
