//! Compilation of modules, in this process or in a child with limits of the operating system.
//!
//! ```text
//! host                                      child
//! request: engine, limits, a new key  --->  sets the limits
//! module                              --->  compiles
//! checks frame and seal, loads        <---  code, sealed with the key
//! ```
//!
//! Inspection bounds the work before compiling starts, so that compiling takes seconds. These bounds are no proof: the
//! compiler is a large program, and its makers do not treat long compile times as a defect. The operating system ends a
//! child that exceeds its limits. Then that one module does not load, and nothing else fails.

#[cfg(unix)]
mod messages;
#[cfg(unix)]
mod parent;

use std::{ffi::OsString, path::PathBuf, process::ExitCode, sync::Arc, time::Duration};

use adjudicate_core::Error;

use crate::{codes, compiled::Origin, engine::ClassEngine, permits::Permits};

/// The process in which a host compiles the modules that it loads (docs/reference/modules.md).
#[derive(Clone, Debug, Default)]
pub enum Compiler {
    /// This process, on the thread that loads. It needs no setup. Only the inspection before compiling bounds time and memory.
    #[default]
    InProcess,
    /// A process for each module, with limits on memory and time. On systems without such limits (other than Unix), this is the
    /// same as [`InProcess`](Self::InProcess).
    Child(Child),
}

/// A program that compiles one module per start, and its limits.
///
/// ```
/// use adjudicate_sandbox::{Child, Compiler, Host, HostSettings};
/// // A program whose `main` begins with `serve_child` where this is its argument: see there.
/// let child = Child { memory_bytes: 512 << 20, ..Child::of_this_program(["compile-module"])? };
/// let host = Host::new(HostSettings { compiler: Compiler::Child(child), ..HostSettings::default() })?;
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Child {
    /// The program. The host trusts it as itself, because the host runs the code that it returns. It must have the same version.
    pub program: PathBuf,
    /// Its arguments, by which the program knows that it must call [`serve_child`].
    pub arguments: Vec<OsString>,
    /// Bytes of address space, including the program itself: 64 MiB or more. Default 1 GiB.
    pub memory_bytes: u64,
    /// Computing time in whole seconds, rounded up. Default 10 s, and 60 s in a build without optimisation.
    pub cpu: Duration,
    /// Wall-clock time without any computing after which the host ends the child as stuck. Default 60 s.
    ///
    /// `cpu` bounds the work, so a busy machine fails no module. On systems other than Linux, which do not report the
    /// computing time of a child, `idle` bounds the time from start to end.
    pub idle: Duration,
    /// The most children that run at once. Further loads wait. Default 1.
    pub at_once: u32,
}

impl Child {
    /// Creates the settings of a program with these arguments and the default limits.
    #[must_use]
    pub fn new<A: Into<OsString>>(
        program: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            memory_bytes: 1 << 30,
            cpu: Duration::from_secs(if cfg!(debug_assertions) { 60 } else { 10 }),
            idle: Duration::from_secs(60),
            at_once: 1,
        }
    }

    /// Returns the running program with these arguments. On Linux this also works after the program's file was replaced.
    ///
    /// # Errors
    ///
    /// [`codes::HOST_FAULT`] if the system does not report the path of the running program.
    pub fn of_this_program<A: Into<OsString>>(arguments: impl IntoIterator<Item = A>) -> Result<Self, Error> {
        if cfg!(target_os = "linux") {
            return Ok(Self::new("/proc/self/exe", arguments));
        }
        let program = std::env::current_exe().map_err(|error| {
            Error::caused_by(codes::HOST_FAULT, "the system does not report the path of this program", error)
        })?;
        Ok(Self::new(program, arguments))
    }

    /// Rejects limits that cannot work.
    fn check(&self) -> Result<(), Error> {
        let faults = [
            (self.memory_bytes < 64 << 20, "`memory_bytes` of the compiling process must be 64 MiB or more"),
            (
                self.cpu.is_zero() || self.idle.is_zero(),
                "`cpu` and `idle` of the compiling process must not be zero",
            ),
            (self.at_once == 0, "`at_once` of the compiling process must be 1 or more"),
        ];
        match faults.into_iter().find(|(broken, _)| *broken) {
            Some((_, message)) => Err(Error::new(codes::WRONG_USAGE, message)),
            None => Ok(()),
        }
    }

    /// The limit on computing time in the unit of the operating system.
    #[cfg(unix)]
    fn cpu_seconds(&self) -> u64 {
        self.cpu.as_secs() + u64::from(self.cpu.subsec_nanos() > 0)
    }
}

/// Compiles one module for a host, in a program that the host names in [`Compiler::Child`]. Sets the limits on this process,
/// reads the module from standard input, and writes its code to standard output.
///
/// The limits hold before the first byte of the module is read: address space, computing time, no core files, no written files,
/// few open files. Call this function first in `main`, before you start threads: their memory counts, too.
///
/// ```no_run
/// use std::process::ExitCode;
/// fn main() -> ExitCode {
///     if std::env::args().nth(1).is_some_and(|argument| argument == "compile-module") {
///         return adjudicate_sandbox::serve_child();
///     }
///     // The rest of your program.
///     ExitCode::SUCCESS
/// }
/// ```
#[must_use]
pub fn serve_child() -> ExitCode {
    #[cfg(unix)]
    let served = messages::serve();
    #[cfg(not(unix))]
    let served: Result<(), &str> = Err("this system has no limits for processes");
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The host reads this text. If standard error is closed, there is no reader.
            let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{error}\n").as_bytes());
            ExitCode::FAILURE
        }
    }
}

/// A compiler, with the permits of its processes.
#[derive(Debug)]
pub(crate) struct CompilerPool {
    compiler: Compiler,
    #[cfg_attr(not(unix), expect(dead_code, reason = "there are no children"))]
    permits: Arc<Permits>,
}

impl CompilerPool {
    /// # Errors
    ///
    /// [`codes::WRONG_USAGE`] for limits that cannot work.
    pub(crate) fn new(compiler: Compiler) -> Result<Self, Error> {
        let at_once = match &compiler {
            Compiler::InProcess => 1,
            Compiler::Child(child) => child.check().map(|()| child.at_once)?,
        };
        // Each child ends at one of its limits, so every waiting load gets a permit.
        Ok(Self { compiler, permits: Permits::new(at_once, Duration::MAX) })
    }

    /// Compiles an inspected module.
    ///
    /// # Errors
    ///
    /// [`codes::MODULE_COMPILE`] if it cannot be compiled within the limits; [`codes::HOST_FAULT`] if the compiler cannot be
    /// started.
    pub(crate) fn compile(
        &self,
        engine: &ClassEngine,
        origin: &Origin,
        module: &[u8],
    ) -> Result<wasmtime::Module, Error> {
        match &self.compiler {
            #[cfg(unix)]
            Compiler::Child(child) => {
                let _permit = self.permits.acquire()?;
                parent::compile(child, engine, origin, module)
            }
            _ => {
                let _ = origin;
                wasmtime::Module::from_binary(&engine.wasmtime, module)
                    .map_err(|error| refusal(&format!("{error:#}")).with_source(error))
            }
        }
    }
}

/// The error for a module that was not compiled.
fn refusal(reason: &str) -> Error {
    Error::new(codes::MODULE_COMPILE, format!("the module cannot be compiled: {reason}"))
}
