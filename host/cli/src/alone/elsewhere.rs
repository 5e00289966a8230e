//! Without the feature `nats`: no other host decides cases of a replay.

use adjudicate_core::Error;
use adjudicate_host::reevaluation::{Reevaluation, Report, Step};

use super::{Asked, args::Replay};
use crate::cluster::Cluster;

/// A run on other hosts. There is none.
#[derive(Debug)]
pub(super) enum Run {}

impl Run {
    pub(super) fn begin(cluster: &Cluster, _: Asked, _: &Replay) -> Result<Self, Error> {
        match *cluster {}
    }

    pub(super) fn decide(
        &self,
        _: &Reevaluation,
        _: impl Iterator<Item = Result<Step, Error>>,
        _: impl FnMut(u64),
    ) -> Result<Report, Error> {
        match *self {}
    }

    pub(super) fn end(self) {
        match self {}
    }
}
