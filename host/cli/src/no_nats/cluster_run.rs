//! Without the feature `nats`: no other host decides cases of a replay.

use adjudicate_core::Error;
use adjudicate_host::reevaluation::{Reevaluation, Report, Step};

use super::{VersionSources, args::Replay};
use crate::cluster::Cluster;
use crate::environment::Environment;

/// A run on other hosts. There is none.
#[derive(Debug)]
pub(super) enum ClusterRun {}

impl ClusterRun {
    pub(super) fn begin(cluster: &Cluster, _: VersionSources, _: &Replay) -> Result<Self, Error> {
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

    pub(super) fn end(self, _: &Environment) {
        match self {}
    }
}
