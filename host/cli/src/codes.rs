//! The error codes of the command and of the crates below.

mod own;

#[cfg(all(feature = "modules", not(feature = "serve")))]
pub(crate) use adjudicate_host::codes::*;
#[cfg(feature = "serve")]
pub(crate) use adjudicate_serve::codes::*;
#[cfg(not(feature = "modules"))]
pub(crate) use adjudicate_trust::codes::*;
pub(crate) use own::ENGINE_LOAD;

/// Returns all codes.
#[cfg(test)]
pub(crate) fn all() -> Vec<ErrorCode> {
    [TABLE.all(), vec![adjudicate_yaml::codes::MALFORMED_YAML], own::TABLE.all()].concat()
}
