//! Without the feature `nats`: there are no other hosts.

use adjudicate_core::Error;
use adjudicate_host::Slots;
use adjudicate_sandbox::Settings;

use super::{Cluster, Membership};
use crate::{failure::Failure, place::StorePlace};

/// The other hosts of a cluster. There are none.
#[derive(Debug)]
pub(crate) enum Others {}

impl Others {
    pub(super) fn open(
        cluster: Cluster,
        _: &StorePlace,
        _: &Membership,
        _: Settings,
        _: bool,
    ) -> Result<(Slots, Self), Failure> {
        match cluster {}
    }

    pub(super) fn trouble(&self, _: &Slots, _: Option<&str>) -> Option<Error> {
        match *self {}
    }
}

/// Prints the records that a host sent to a cluster. There is no cluster.
pub(crate) fn export_records<E: From<Error>>(
    cluster: &Cluster,
    _: &str,
    _: Option<&str>,
    _: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    match *cluster {}
}
