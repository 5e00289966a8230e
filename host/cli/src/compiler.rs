//! Compiling modules in a process of its own, which is this program again, by a verb that is not for people.

use adjudicate_core::Error;
use adjudicate_sandbox::{Cache, Child, Compiler, Host, Limits, Settings};

use crate::directories;

/// The verb. Help does not list it: without a host at the other end it says so and fails.
const VERB: &str = "compile-module";

/// The compiler of every module that this program loads: bounded, whoever the module is from.
///
/// # Errors
///
/// [`host_fault`](crate::codes::HOST_FAULT) where the system does not say which program this is.
pub(crate) fn bounded() -> Result<Compiler, Error> {
    Child::of_this_program([VERB]).map(Compiler::Child)
}

/// A host for one module that is asked one call at a time. It knows no engine; without a usable cache it compiles each time.
///
/// # Errors
///
/// Those of [`bounded`] and of [`Host::new`].
pub(crate) fn host(limits: Limits) -> Result<Host, Error> {
    Host::new(Settings {
        limits,
        instances: 1,
        cache: directories::cache().and_then(|directory| Cache::open(&directory).ok()),
        compiler: bounded()?,
        ..Settings::default()
    })
}

/// Whether this process was started to compile a module.
pub(crate) fn is_wanted() -> bool {
    std::env::args_os().nth(1).is_some_and(|verb| verb == VERB)
}
