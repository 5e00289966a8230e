//! The slots of a command: those of a store, or of a cluster.

#[cfg(feature = "nats")]
mod args;
#[cfg(not(feature = "nats"))]
#[path = "../alone/args.rs"]
mod args;
#[cfg(feature = "nats")]
mod others;
#[cfg(not(feature = "nats"))]
#[path = "../alone/others.rs"]
mod others;

use std::ops::Deref;

use adjudicate_host::Slots;
use adjudicate_sandbox::Settings;

pub(crate) use args::{ClusterPlace, Membership, Settings as Cluster};
pub(crate) use others::{Others, export_records};

use crate::{
    failure::Failure,
    place::{self, StorePlace},
};

/// The slots of a store, up to date with the cluster if the store belongs to one.
#[derive(Debug)]
pub(crate) struct Member {
    slots: Slots,
    others: Option<Others>,
}

impl Deref for Member {
    type Target = Slots;

    fn deref(&self) -> &Slots {
        &self.slots
    }
}

impl Member {
    /// Opens the slots of the store, on a host with these settings. With a cluster, first follows all changes there until now. If the
    /// store already belongs to the cluster and the cluster cannot be reached or followed now, `may_await` opens the slots without it.
    pub(crate) fn open(
        place: &StorePlace,
        nats: &Membership,
        settings: Settings,
        may_await: bool,
    ) -> Result<Self, Failure> {
        let Some(cluster) = nats.settings()? else {
            return Ok(Self { slots: place::open_slots(place, settings)?, others: None });
        };
        let (slots, others) = Others::open(cluster, place, nats, settings, may_await)?;
        Ok(Self { slots, others: Some(others) })
    }

    /// Returns the answer, or an error if this host has another state than the cluster: of `slot`, or of any slot without one.
    pub(crate) fn checked<T>(&self, slot: Option<&str>, answer: Result<T, Failure>) -> Result<T, Failure> {
        match self.others.as_ref().and_then(|others| others.trouble(&self.slots, slot)) {
            Some(trouble) => Err(trouble.into()),
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
    pub(crate) fn into_parts(self) -> (Slots, Option<Others>) {
        (self.slots, self.others)
    }
}
