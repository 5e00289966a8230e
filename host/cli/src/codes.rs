//! The codes of errors: those of the command, and those of the crates below it.

mod own;

#[cfg(not(feature = "serve"))]
pub(crate) use adjudicate_host::codes::*;
#[cfg(feature = "serve")]
pub(crate) use adjudicate_serve::codes::*;
pub(crate) use own::{ENGINE_LOAD, MALFORMED_YAML};

/// All of them.
#[cfg(test)]
pub(crate) fn all() -> Vec<ErrorCode> {
    [TABLE.all(), own::TABLE.all()].concat()
}
