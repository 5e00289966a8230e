//! The slots of a command: those of a store, or of a cluster.

#[cfg(feature = "nats")]
mod args;
#[cfg(not(feature = "nats"))]
#[path = "../no_nats/args.rs"]
mod args;
#[cfg(feature = "nats")]
mod other_hosts;
#[cfg(not(feature = "nats"))]
#[path = "../no_nats/other_hosts.rs"]
mod other_hosts;

use std::ops::Deref;

use adjudicate_host::Slots;
use adjudicate_sandbox::HostSettings;

pub(crate) use args::{ClusterAddress, ClusterSettings as Cluster, Membership};
pub(crate) use other_hosts::{OtherHosts, export_records};

use crate::{
    environment::Environment,
    failure::Failure,
    store_location::{self, StoreLocation},
};

/// The slots of a store, up to date with the cluster if the store belongs to one.
#[derive(Debug)]
pub(crate) struct SyncedSlots {
    slots: Slots,
    other_hosts: Option<OtherHosts>,
}

impl Deref for SyncedSlots {
    type Target = Slots;

    fn deref(&self) -> &Slots {
        &self.slots
    }
}

impl SyncedSlots {
    /// Opens the slots of the store, on a host with these settings. With a cluster, first follows all changes there until now. If the
    /// store already belongs to the cluster and the cluster cannot be reached or followed now, `may_start_without` opens the slots without it.
    pub(crate) fn open(
        location: &StoreLocation,
        nats: &Membership,
        settings: HostSettings,
        may_start_without: bool,
        env: &Environment,
    ) -> Result<Self, Failure> {
        let Some(cluster) = nats.settings(env)? else {
            return Ok(Self {
                slots: store_location::open_slots(location, settings, env)?,
                other_hosts: None,
            });
        };
        let (slots, other_hosts) =
            OtherHosts::open(cluster, location, nats, settings, may_start_without, env)?;
        Ok(Self { slots, other_hosts: Some(other_hosts) })
    }

    /// Returns the answer, or an error if this host has another state than the cluster: of `slot`, or of any slot without one.
    pub(crate) fn checked<T>(&self, slot: Option<&str>, answer: Result<T, Failure>) -> Result<T, Failure> {
        match self.other_hosts.as_ref().and_then(|other_hosts| other_hosts.problem(&self.slots, slot)) {
            Some(problem) => Err(problem.into()),
            None => answer,
        }
    }

    /// Returns the answer. If it is an error and this store is behind the cluster in this slot, returns that as the reason.
    pub(crate) fn or_behind<T>(&self, slot: &str, answer: Result<T, Failure>) -> Result<T, Failure> {
        match answer {
            Ok(answer) => Ok(answer),
            error => self.checked(Some(slot), error),
        }
    }

    /// Returns the slots, and the other hosts of the cluster.
    #[cfg(feature = "serve")]
    pub(crate) fn into_parts(self) -> (Slots, Option<OtherHosts>) {
        (self.slots, self.other_hosts)
    }
}
