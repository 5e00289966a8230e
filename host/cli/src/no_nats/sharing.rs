//! Without the feature `nats`: a server shares nothing with other hosts.

use std::time::Instant;

use adjudicate_core::document::{Describe, Type};
use adjudicate_host::Slots;
use adjudicate_serve::Server;
use serde::Serialize;

use crate::{cluster::OtherHosts, environment::Environment, failure::Failure};

/// The cluster in the report of the server. There is none.
#[derive(Clone, Debug, Serialize)]
pub(crate) enum ClusterReport {}

impl Describe for ClusterReport {
    fn describe() -> Type {
        Type::Object
    }
}

/// The background work of a host in a cluster. There is none.
#[derive(Debug)]
pub(crate) enum Sharing {}

impl Sharing {
    pub(crate) fn begin(other_hosts: OtherHosts, _: &Slots, _: &Environment) -> Result<Self, Failure> {
        match other_hosts {}
    }

    pub(crate) const fn cluster_report(&self) -> &ClusterReport {
        match *self {}
    }

    pub(crate) fn join(&self, _: &Server) -> Result<(), Failure> {
        match *self {}
    }

    pub(crate) fn start_logging(&self) {
        match *self {}
    }

    pub(crate) fn leave(&self) {
        match *self {}
    }

    pub(crate) fn end(self, _: Instant, _: &Environment) -> bool {
        match self {}
    }
}
