//! The limit on the size of files (`ulimit -f`): to write beyond it is an error of that write, and does not end the command.

use std::io;

/// Installs a handler for `SIGXFSZ`, which ends a process that has none. With one, the write fails with `EFBIG`.
#[cfg(unix)]
pub(crate) fn outlive_limit() -> io::Result<()> {
    use tokio::{
        runtime::Builder,
        signal::unix::{SignalKind, signal},
    };

    /// `SIGXFSZ`, for which tokio has no name.
    const FILE_SIZE: SignalKind = SignalKind::from_raw(25);

    let runtime = Builder::new_current_thread().enable_io().build()?;
    let _context = runtime.enter();
    // The handler stays for the life of the process, also without this listener and this runtime.
    signal(FILE_SIZE).map(drop)
}

#[cfg(not(unix))]
pub(crate) fn outlive_limit() -> io::Result<()> {
    Ok(())
}
