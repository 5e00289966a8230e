//! Who compiles modules: this process, or a child of it that the operating system keeps in bounds.
//!
//! ```text
//! host                                      child
//! order: engine, limits, a fresh key  --->  takes the limits
//! module                              --->  compiles
//! checks frame and seal, loads        <---  code, sealed with the key
//! ```
//!
//! What is counted before compiling keeps its work within seconds. That is no proof: the compiler is a large program, and
//! its makers do not call it a fault when it takes long. A child that takes too much is ended by the operating system,
//! which costs one module that does not load, and nothing else.

#[cfg(unix)]
mod child;
#[cfg(unix)]
mod order;
#[cfg(unix)]
mod parent;

use std::{ffi::OsString, path::PathBuf, process::ExitCode, sync::Arc, time::Duration};

use adjudicate_core::Error;

use crate::{codes, compiled::Origin, engine::ClassEngine, permits::Permits};

/// Who compiles the modules that a host loads (SPEC section 13.3).
#[derive(Clone, Debug, Default)]
pub enum Compiler {
    /// This process, on the thread that loads: nothing is to be set up, and nothing but what is counted beforehand bounds
    /// the time and the memory that it takes.
    #[default]
    InProcess,
    /// A process for each module, with limits on memory and time. Where there are no such limits (on systems that are not
    /// Unix) it is as if [`InProcess`](Self::InProcess) were said.
    Child(Child),
}

/// A program that compiles one module each time it is started, and how much it may use.
///
/// ```
/// use adjudicate_sandbox::{Child, Compiler, Host, Settings};
/// // A program whose `main` begins with `serve_child` where this is its argument: see there.
/// let child = Child { memory_bytes: 512 << 20, ..Child::of_this_program(["compile-module"])? };
/// let host = Host::new(Settings { compiler: Compiler::Child(child), ..Settings::default() })?;
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Child {
    /// The program. It is trusted as the host itself is: what it compiles is run. It must be of the same version.
    pub program: PathBuf,
    /// Its arguments, by which it knows that it is to call [`serve_child`].
    pub arguments: Vec<OsString>,
    /// Bytes of address space, the program itself among them: 64 MiB or more. Default 1 GiB.
    pub memory_bytes: u64,
    /// Computing time, in whole seconds, rounded up. Default 10 s.
    pub cpu: Duration,
    /// For how long, on the clock, it may have computed nothing before it is taken for stuck. Default 60 s. Computing time is
    /// what bounds the work: however long a busy machine takes to give it, no innocent module fails. Where the system does not
    /// say what a process computes (elsewhere than on Linux) it is the time from start to end.
    pub idle: Duration,
    /// How many may run at once; who loads more modules waits. Default 1.
    pub at_once: u32,
}

impl Child {
    /// A program with these arguments, and the default limits.
    #[must_use]
    pub fn new<A: Into<OsString>>(
        program: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            memory_bytes: 1 << 30,
            cpu: Duration::from_secs(10),
            idle: Duration::from_secs(60),
            at_once: 1,
        }
    }

    /// The program that runs now, with these arguments. On Linux it is found even if its file was replaced since.
    ///
    /// # Errors
    ///
    /// [`codes::HOST_FAULT`] where the system does not say which program that is.
    pub fn of_this_program<A: Into<OsString>>(arguments: impl IntoIterator<Item = A>) -> Result<Self, Error> {
        if cfg!(target_os = "linux") {
            return Ok(Self::new("/proc/self/exe", arguments));
        }
        let program = std::env::current_exe().map_err(|error| {
            Error::new(codes::HOST_FAULT, format!("cannot tell which program this is: {error}"))
        })?;
        Ok(Self::new(program, arguments))
    }

    /// Refuses limits that cannot work.
    fn check(&self) -> Result<(), Error> {
        let faults = [
            (self.memory_bytes < 64 << 20, "the compiling process needs 64 MiB of memory or more"),
            (self.cpu.is_zero() || self.idle.is_zero(), "the compiling process needs some time"),
            (self.at_once == 0, "one compiling process or more must be allowed at once"),
        ];
        match faults.into_iter().find(|(broken, _)| *broken) {
            Some((_, message)) => Err(Error::new(codes::WRONG_USAGE, message)),
            None => Ok(()),
        }
    }

    /// The limit on computing time as the operating system takes it.
    #[cfg(unix)]
    fn cpu_seconds(&self) -> u64 {
        self.cpu.as_secs() + u64::from(self.cpu.subsec_nanos() > 0)
    }
}

/// Does what a host asks of the program that it was told to compile with ([`Compiler::Child`]): takes the limits upon
/// itself, reads one module from standard input, and writes its code to standard output.
///
/// The limits are taken before the first byte of the module is read: address space, computing time, no core files, no
/// files written, few files open. Call this first of all in `main`, before there are other threads, for what they hold
/// counts too.
///
/// ```no_run
/// use std::process::ExitCode;
/// fn main() -> ExitCode {
///     if std::env::args().nth(1).is_some_and(|argument| argument == "compile-module") {
///         return adjudicate_sandbox::serve_child();
///     }
///     // What the program is otherwise for.
///     ExitCode::SUCCESS
/// }
/// ```
#[must_use]
pub fn serve_child() -> ExitCode {
    #[cfg(unix)]
    let served = child::serve();
    #[cfg(not(unix))]
    let served: Result<(), &str> = Err("a process has no limits here");
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The host reads this; where nobody does, there is nobody to tell.
            let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{error}\n").as_bytes());
            ExitCode::FAILURE
        }
    }
}

/// A compiler, and the places there are for its processes.
#[derive(Debug)]
pub(crate) struct Workshop {
    compiler: Compiler,
    #[cfg_attr(not(unix), expect(dead_code, reason = "there are no children"))]
    places: Arc<Permits>,
}

impl Workshop {
    /// # Errors
    ///
    /// [`codes::WRONG_USAGE`] for limits that cannot work.
    pub(crate) fn new(compiler: Compiler) -> Result<Self, Error> {
        let at_once = match &compiler {
            Compiler::InProcess => 1,
            Compiler::Child(child) => child.check().map(|()| child.at_once)?,
        };
        // Each child ends at one of its limits, so whoever waits has a turn.
        Ok(Self { compiler, places: Permits::new(at_once, Duration::MAX) })
    }

    /// Compiles a module that was inspected.
    ///
    /// # Errors
    ///
    /// [`codes::MODULE_COMPILE`] if it cannot be compiled, or not within the limits; [`codes::HOST_FAULT`] if the
    /// compiler cannot be started.
    pub(crate) fn compile(
        &self,
        engine: &ClassEngine,
        origin: &Origin,
        module: &[u8],
    ) -> Result<wasmtime::Module, Error> {
        match &self.compiler {
            #[cfg(unix)]
            Compiler::Child(child) => {
                let _place = self.places.take()?;
                parent::compile(child, engine, origin, module)
            }
            _ => {
                let _ = origin;
                wasmtime::Module::from_binary(&engine.wasmtime, module)
                    .map_err(|error| refusal(&format!("{error:#}")))
            }
        }
    }
}

/// That a module was not compiled, and why.
fn refusal(reason: &str) -> Error {
    Error::new(codes::MODULE_COMPILE, format!("the module cannot be compiled: {reason}"))
}
