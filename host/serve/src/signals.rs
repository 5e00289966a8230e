//! What the operating system asks of a server.

use std::io;

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    ToEnd,
    ToReload,
}

/// The signals of a process, taken by a server: none of them ends the process by itself any more.
#[cfg(unix)]
#[derive(Debug)]
pub struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    /// Takes SIGTERM, SIGINT and SIGHUP. Within a runtime.
    pub(crate) fn take() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    pub(crate) async fn next(&mut self) -> Asked {
        tokio::select! {
            _ = self.terminate.recv() => Asked::ToEnd,
            _ = self.interrupt.recv() => Asked::ToEnd,
            _ = self.hangup.recv() => Asked::ToReload,
        }
    }
}

/// The signals of a process, taken by a server: none of them ends the process by itself any more.
#[cfg(windows)]
#[derive(Debug)]
pub struct Signals(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Signals {
    /// Takes Ctrl-C. Within a runtime.
    pub(crate) fn take() -> io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    pub(crate) async fn next(&mut self) -> Asked {
        let _ = self.0.recv().await;
        Asked::ToEnd
    }
}
