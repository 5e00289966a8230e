//! The error codes of the command and of the crates below.

mod own;

#[cfg(not(feature = "serve"))]
pub(crate) use adjudicate_host::codes::*;
#[cfg(feature = "serve")]
pub(crate) use adjudicate_serve::codes::*;
pub(crate) use own::{ENGINE_LOAD, MALFORMED_YAML};

/// Returns all codes.
#[cfg(test)]
pub(crate) fn all() -> Vec<ErrorCode> {
    [TABLE.all(), own::TABLE.all()].concat()
}
