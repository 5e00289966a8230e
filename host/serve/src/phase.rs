//! How far the end of a server is.

/// How far the end is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    Serving,
    /// Nobody new is let in, and who is done is sent away.
    Closing,
}
