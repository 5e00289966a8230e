//! Without the feature `nats`: a server shares nothing with other hosts.

use std::time::Instant;

use adjudicate_host::Slots;
use adjudicate_serve::Server;
use serde::Serialize;

use crate::{
    cluster::{Membership, Others},
    failure::Failure,
};

/// The cluster in the report of the server. There is none.
#[derive(Clone, Debug, Serialize)]
pub(crate) enum WhichCluster {}

/// The background work of a host in a cluster. There is none.
#[derive(Debug)]
pub(crate) enum Sharing {}

impl Sharing {
    pub(crate) fn begin(others: Others, _: &Slots, _: &Membership) -> Result<Self, Failure> {
        match others {}
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
