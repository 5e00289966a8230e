//! Without the feature `nats`: a server shares nothing with others.

use std::time::Instant;

use adjudicate_host::Slots;
use adjudicate_serve::Server;
use serde::Serialize;

use crate::{args::Membership, failure::Failure};

/// What is told of the cluster.
#[derive(Clone, Debug, Serialize)]
pub(crate) enum WhichCluster {}

/// What goes on beside the server's calls.
#[derive(Debug)]
pub(crate) enum Sharing {}

impl Sharing {
    pub(crate) fn begin((): (), _: &Slots, _: &Membership) -> Result<Option<Self>, Failure> {
        Ok(None)
    }

    pub(crate) const fn which(&self) -> &WhichCluster {
        match *self {}
    }

    pub(crate) fn join(&self, _: &Server) -> Result<(), Failure> {
        match *self {}
    }

    pub(crate) fn speak(&self) {
        match *self {}
    }

    pub(crate) fn leave(&self) {
        match *self {}
    }

    pub(crate) fn end(self, _: Instant) -> bool {
        match self {}
    }
}
