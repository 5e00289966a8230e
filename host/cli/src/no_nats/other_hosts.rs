//! Without the feature `nats`: there are no other hosts.

use adjudicate_core::Error;
use adjudicate_host::Slots;
use adjudicate_sandbox::HostSettings;

use super::{Cluster, Membership};
use crate::{environment::Environment, failure::Failure, store_location::StoreLocation};

/// The other hosts of a cluster. There are none.
#[derive(Debug)]
pub(crate) enum OtherHosts {}

impl OtherHosts {
    pub(super) fn open(
        cluster: Cluster,
        _: &StoreLocation,
        _: &Membership,
        _: HostSettings,
        _: bool,
        _: &Environment,
    ) -> Result<(Slots, Self), Failure> {
        match cluster {}
    }

    pub(super) fn problem(&self, _: &Slots, _: Option<&str>) -> Option<Error> {
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
