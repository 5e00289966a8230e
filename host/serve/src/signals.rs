//! The signals that a server handles.

use std::io;

/// The meaning of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    Terminate,
    Reload,
}

/// The signals of a process, handled by a server. While this exists, they do not end the process by themselves.
#[derive(Debug)]
pub struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    hangup: tokio::signal::unix::Signal,
    #[cfg(windows)]
    ctrl_c: tokio::signal::windows::CtrlC,
}

#[cfg(unix)]
impl Signals {
    /// Handles SIGTERM, SIGINT and SIGHUP. Call this within a runtime.
    pub(crate) fn install() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    pub(crate) async fn next(&mut self) -> Signal {
        tokio::select! {
            _ = self.terminate.recv() => Signal::Terminate,
            _ = self.interrupt.recv() => Signal::Terminate,
            _ = self.hangup.recv() => Signal::Reload,
        }
    }
}

#[cfg(windows)]
impl Signals {
    /// Handles Ctrl-C. Call this within a runtime.
    pub(crate) fn install() -> io::Result<Self> {
        Ok(Self { ctrl_c: tokio::signal::windows::ctrl_c()? })
    }

    pub(crate) async fn next(&mut self) -> Signal {
        let _ = self.ctrl_c.recv().await;
        Signal::Terminate
    }
}
