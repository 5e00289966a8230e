//! Errors of the cluster.

use std::{borrow::Cow, error};

use adjudicate_core::Error;
use adjudicate_host::codes;

pub(crate) fn fault(message: impl Into<String>) -> Error {
    Error::new(codes::CLUSTER_FAULT, message.into())
}

pub(crate) fn failed(what: &str, source: impl Into<Box<dyn error::Error + Send + Sync>>) -> Error {
    Error::caused_by(codes::CLUSTER_FAULT, what, source)
}

pub(crate) fn wrong_usage(message: impl Into<Cow<'static, str>>) -> Error {
    Error::new(codes::WRONG_USAGE, message)
}
