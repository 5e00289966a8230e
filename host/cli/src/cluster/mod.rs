//! The store of a verb: one of its own, or a copy of what a cluster has.

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

/// The slots of a store, up to date with the cluster where they are those of one.
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
    /// Opens the slots of the store that is meant, on a host with these settings. With a cluster, what happened there until now is
    /// followed first. Where the store was of the cluster before, and that cannot be reached or followed now, it may be awaited.
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

    /// The same answer, unless it is about something that the cluster has otherwise: a slot, or without one all of them.
    pub(crate) fn checked<T>(&self, slot: Option<&str>, answer: Result<T, Failure>) -> Result<T, Failure> {
        match self.others.as_ref().and_then(|others| others.trouble(&self.slots, slot)) {
            Some(trouble) => Err(trouble.into()),
            None => answer,
        }
    }

    /// The same answer; where it is an error, and this store is behind the cluster in this slot, that explains it.
    pub(crate) fn or_behind<T>(&self, slot: &str, answer: Result<T, Failure>) -> Result<T, Failure> {
        match answer {
            Ok(answer) => Ok(answer),
            error => self.checked(Some(slot), error),
        }
    }

    /// The slots, and the other hosts that have the same.
    #[cfg(feature = "serve")]
    pub(crate) fn into_parts(self) -> (Slots, Option<Others>) {
        (self.slots, self.others)
    }
}
