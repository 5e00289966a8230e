//! The store of a verb: one of its own, or a copy of what a cluster has.

use std::{ops::Deref, sync::Arc};

use adjudicate_cluster::{Awaited, Cluster, Following};
use adjudicate_core::Error;
use adjudicate_host::{Slots, Store};
use adjudicate_sandbox::Settings;

use crate::{
    args::{Export, Membership, StorePlace},
    failure::Failure,
    store,
};

/// The slots of a store, up to date with the cluster where they are those of one.
#[derive(Debug)]
pub(crate) struct Member {
    slots: Slots,
    others: Others,
}

/// The other hosts of a cluster.
#[derive(Debug)]
#[cfg_attr(not(feature = "serve"), expect(dead_code, reason = "a server asks for more of it"))]
pub(crate) enum Others {
    None,
    /// They were reached, and what they do is followed. Where they need not have been, they are awaited should they go away.
    Followed(Cluster, Following, Option<Arc<Awaited>>),
    /// They could not be reached or followed yet, for this reason.
    Awaited(Arc<Awaited>, Error),
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
        let Some(cluster) = nats.settings()? else {
            let store = store::open(place)?;
            let host = store::host(&store, settings)?;
            return Ok(Self { slots: Slots::open(store, host)?, others: Others::None });
        };
        // Where the cluster that the store is of was lost, nothing is made in its place. Nor is a store, where none is reached.
        let there = store::find(place)?;
        let id = there.as_ref().map(Store::cluster_id).transpose()?.flatten();
        let cluster = Cluster::connect(&adjudicate_cluster::Settings { id, ..cluster })?;
        let store = there.map_or_else(|| store::open(place), Ok)?;
        let host = store::host(&store, settings)?;
        let slots = Slots::open_shared(store, host, cluster.ledger(), nats.nats_allow_unsigned)?;
        let following = cluster.follow(&slots)?;
        Ok(Self { slots, others: Others::Followed(cluster, following, None) })
    }

    /// The same; where the store was of the cluster before, and that cannot be reached or followed now, it is awaited.
    #[cfg(feature = "serve")]
    pub(crate) fn open_or_await(
        place: &StorePlace,
        nats: &Membership,
        settings: Settings,
    ) -> Result<Self, Failure> {
        let Some(cluster) = nats.settings()? else { return Self::open(place, nats, settings) };
        let Some(store) = store::find(place)? else { return Self::open(place, nats, settings) };
        let Some(id) = store.cluster_id()? else { return Self::open(place, nats, settings) };
        let host = store::host(&store, settings)?;
        let awaited = Arc::new(Awaited::new(cluster, id));
        let slots = Slots::open_shared(store, host, awaited.clone(), nats.nats_allow_unsigned)?;
        let followed = awaited.reach().and_then(|cluster| Ok((cluster.follow(&slots)?, cluster)));
        let others = match followed {
            Ok((following, cluster)) => Others::Followed(cluster, following, Some(awaited)),
            Err(why) if why.code() == adjudicate_core::ErrorCode::ClusterFault => {
                Others::Awaited(awaited, why)
            }
            Err(error) => return Err(error.into()),
        };
        Ok(Self { slots, others })
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
        let Others::Followed(_, following, _) = &self.others else { return answer };
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

    /// The slots, and the other hosts that have the same.
    #[cfg(feature = "serve")]
    pub(crate) fn into_parts(self) -> (Slots, Others) {
        (self.slots, self.others)
    }
}

/// Prints what a host sent to a cluster.
pub(crate) fn export_records<E: From<Error>>(
    cluster: &adjudicate_cluster::Settings,
    args: &Export,
    print: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    Cluster::connect(cluster)?.export_records(&args.slot, args.host_id.as_deref(), print)
}
