//! Without the feature `nats`: the store of a verb is its own.

use std::ops::Deref;

use adjudicate_core::Error;
use adjudicate_host::Slots;
use adjudicate_sandbox::Settings;

use crate::{
    args::{Cluster, Export, Membership, StorePlace},
    failure::Failure,
    store,
};

/// The slots of a store.
#[derive(Debug)]
pub(crate) struct Member {
    slots: Slots,
}

impl Deref for Member {
    type Target = Slots;

    fn deref(&self) -> &Slots {
        &self.slots
    }
}

impl Member {
    /// Opens the slots of the store that is meant, on a host with these settings.
    pub(crate) fn open(place: &StorePlace, nats: &Membership, settings: Settings) -> Result<Self, Failure> {
        if let Some(cluster) = nats.settings()? {
            match cluster {}
        }
        let store = store::open(place)?;
        let host = store::host(&store, settings)?;
        Ok(Self { slots: Slots::open(store, host)? })
    }

    /// The same answer.
    pub(crate) fn or_behind<T>(&self, _: &str, answer: Result<T, Failure>) -> Result<T, Failure> {
        answer
    }

    /// The same answer.
    pub(crate) fn checked<T>(&self, _: Option<&str>, answer: Result<T, Failure>) -> Result<T, Failure> {
        answer
    }

    /// The slots, and that there are no other hosts.
    #[cfg(feature = "serve")]
    pub(crate) fn into_parts(self) -> (Slots, ()) {
        (self.slots, ())
    }
}

/// Prints what a host sent to a cluster.
pub(crate) fn export_records<E: From<Error>>(
    cluster: &Cluster,
    _: &Export,
    _: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    match *cluster {}
}
