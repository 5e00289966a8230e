//! Errors about the cluster.

use adjudicate_host::codes;
use std::fmt;

use adjudicate_core::Error;

/// Something about the cluster is not as it should be.
pub(crate) fn fault(message: impl Into<String>) -> Error {
    Error::new(codes::CLUSTER_FAULT, message.into())
}

/// Something could not be done, with the reason that NATS gave.
pub(crate) fn failed(what: &str, why: impl fmt::Display) -> Error {
    fault(format!("{what}: {why}"))
}
