//! The phase of a server.

/// The phase of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    Serving,
    /// The server accepts no new connections, and closes idle ones.
    Closing,
}
