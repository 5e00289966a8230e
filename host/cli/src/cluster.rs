//! The store of a verb: one of its own, or a copy of what a cluster has.

use std::ops::Deref;

use adjudicate_cluster::{Cluster, Following};
use adjudicate_core::Error;
use adjudicate_host::{Settings, Slots};

use crate::{
    args::{Membership, StorePlace},
    failure::Failure,
    store,
};

/// The slots of a store, up to date with the cluster where they are those of one.
#[derive(Debug)]
pub(crate) struct Member {
    slots: Slots,
    following: Option<Following>,
    cluster: Option<Cluster>,
}

impl Deref for Member {
    type Target = Slots;

    fn deref(&self) -> &Slots {
        &self.slots
    }
}

impl Member {
    /// Opens the slots of the store that is meant, on a host with these settings. With a cluster, what happened there until now is
    /// followed first.
    pub(crate) fn open(place: &StorePlace, nats: &Membership, settings: Settings) -> Result<Self, Failure> {
        let cluster = nats.settings()?.map(|settings| Cluster::connect(&settings)).transpose()?;
        let store = store::open(place)?;
        let host = store::host(&store, settings)?;
        let slots = match &cluster {
            None => Slots::open(store, host)?,
            Some(cluster) => Slots::open_shared(store, host, cluster.ledger(), nats.nats_allow_unsigned)?,
        };
        let following = cluster.as_ref().map(|cluster| cluster.follow(&slots)).transpose()?;
        Ok(Self { slots, following, cluster })
    }

    /// The same answer, unless it is about something that the cluster has otherwise: a slot, or without one all of them.
    pub(crate) fn checked<T>(&self, slot: Option<&str>, answer: Result<T, Failure>) -> Result<T, Failure> {
        let behind = |(name, trouble): (String, Error)| {
            // More slots than are named.
            if name.is_empty() {
                return trouble;
            }
            let message = format!("slot `{name}` is not as the cluster has it: {}", trouble.message());
            Error::new(trouble.code(), message)
        };
        let Some(following) = &self.following else { return answer };
        let mut troubles = self.slots.troubles().into_iter();
        let is_meant = |name: &str| slot.is_none_or(|slot| slot == name);
        let trouble = troubles.find(|(name, _)| is_meant(name)).map(behind).or_else(|| following.trouble());
        trouble.map_or(answer, |trouble| Err(trouble.into()))
    }

    /// The same answer; where it is an error, and this store is behind the cluster in this slot, that explains it.
    pub(crate) fn or_behind<T>(&self, slot: &str, answer: Result<T, Failure>) -> Result<T, Failure> {
        match answer {
            Ok(answer) => Ok(answer),
            error => self.checked(Some(slot), error),
        }
    }

    /// Its parts: the slots, what keeps them up to date, and the cluster.
    pub(crate) fn into_parts(self) -> (Slots, Option<Following>, Option<Cluster>) {
        (self.slots, self.following, self.cluster)
    }
}
