//! Errors of the cluster.

use adjudicate_host::codes;
use std::error;

use adjudicate_core::Error;

/// Creates an error of the cluster.
pub(crate) fn fault(message: impl Into<String>) -> Error {
    Error::new(codes::CLUSTER_FAULT, message.into())
}

/// Creates an error of the cluster with its cause.
pub(crate) fn failed(what: &str, source: impl Into<Box<dyn error::Error + Send + Sync>>) -> Error {
    Error::caused_by(codes::CLUSTER_FAULT, what, source)
}
