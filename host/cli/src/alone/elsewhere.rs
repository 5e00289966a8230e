//! Without the feature `nats`: nobody else decides.

use std::collections::BTreeMap;

use adjudicate_core::Error;
use adjudicate_host::{
    Store,
    reevaluation::{Reevaluation, Report, Step},
};
use adjudicate_sandbox::Digest;

use crate::args::{Cluster, Replay};

/// The modules, policies and store that other hosts would need.
#[derive(Debug, Default)]
#[expect(dead_code, reason = "nobody else decides")]
pub(super) struct Asked {
    pub(super) modules: BTreeMap<Digest, Vec<u8>>,
    pub(super) policies: BTreeMap<String, Vec<u8>>,
    pub(super) store: Option<Store>,
}

/// A run that others decide.
#[derive(Debug)]
pub(super) enum Run {}

impl Run {
    pub(super) fn begin(cluster: &Cluster, _: Asked, _: &Replay) -> Result<Self, Error> {
        match *cluster {}
    }

    pub(super) fn end(self) {
        match self {}
    }
}

/// Deciding again.
#[derive(Clone, Copy)]
pub(super) struct Decided<'a> {
    pub(super) again: &'a Reevaluation,
    pub(super) run: Option<&'a Run>,
}

impl Decided<'_> {
    pub(super) fn run(
        self,
        steps: impl Iterator<Item = Result<Step, Error>>,
        progress: impl FnMut(u64),
    ) -> Result<Report, Error> {
        match self.run {
            Some(run) => match *run {},
            None => self.again.run(steps, progress),
        }
    }
}
