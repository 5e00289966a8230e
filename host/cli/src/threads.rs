//! Work on a stack of a known size. A WebAssembly module has one thread, whose stack its file declares.

#[cfg(not(target_family = "wasm"))]
mod system {
    use std::{io, thread};

    /// The stack size. Guest code runs on it, and a small `ulimit -s` must not end the process.
    pub(crate) const STACK_BYTES: usize = 8 << 20;

    /// Runs work to its end.
    pub(crate) fn run<T: Send>(work: impl FnOnce() -> T + Send) -> io::Result<thread::Result<T>> {
        thread::scope(|scope| {
            let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work)?;
            Ok(thread.join())
        })
    }

    /// Starts work in a thread that ends with the process.
    #[cfg(feature = "collect")]
    pub(crate) fn start(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
        thread::Builder::new().stack_size(STACK_BYTES).spawn(work).map(drop)
    }
}

#[cfg(target_family = "wasm")]
mod system {
    use std::{io, thread};

    /// Runs work to its end.
    pub(crate) fn run<T>(work: impl FnOnce() -> T) -> io::Result<thread::Result<T>> {
        Ok(Ok(work()))
    }

    /// Runs work to its end.
    #[cfg(feature = "collect")]
    pub(crate) fn start(work: impl FnOnce()) -> io::Result<()> {
        work();
        Ok(())
    }
}

#[cfg(feature = "mcp")]
pub(crate) use system::STACK_BYTES;
pub(crate) use system::run;
#[cfg(feature = "collect")]
pub(crate) use system::start;
