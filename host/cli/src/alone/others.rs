//! Without the feature `nats`: there are no other hosts.

use adjudicate_core::Error;
use adjudicate_host::Slots;

use super::{Membership, Settings};
use crate::{failure::Failure, place::StorePlace};

/// The other hosts of a cluster.
#[derive(Debug)]
pub(crate) enum Others {}

impl Others {
    pub(super) fn follow(
        cluster: Settings,
        _: &StorePlace,
        _: &Membership,
        _: adjudicate_sandbox::Settings,
    ) -> Result<(Slots, Self), Failure> {
        match cluster {}
    }

    pub(super) fn trouble(&self, _: &Slots, _: Option<&str>) -> Option<Error> {
        match *self {}
    }
}

/// Prints what a host sent to a cluster.
pub(crate) fn export_records<E: From<Error>>(
    cluster: &Settings,
    _: &str,
    _: Option<&str>,
    _: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    match *cluster {}
}
