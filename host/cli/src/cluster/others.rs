//! The other hosts of a cluster, and a store that is a copy of their slots.

use std::sync::Arc;

use adjudicate_cluster::{Awaited, Cluster, Following, Settings as ClusterSettings};
use adjudicate_core::Error;
use adjudicate_host::{Slots, Store};
use adjudicate_sandbox::Settings;

use super::Membership;
use crate::{
    codes,
    failure::Failure,
    place::{self, StorePlace},
};

/// The other hosts of a cluster.
#[derive(Debug)]
#[cfg_attr(not(feature = "serve"), expect(dead_code, reason = "a server asks for more of it"))]
pub(crate) enum Others {
    /// They were reached, and their changes are followed. A host that may start without them waits for them if they go away.
    Followed(Cluster, Following, Option<Arc<Awaited>>),
    /// They could not be reached or followed yet, with this error.
    Awaited(Arc<Awaited>, Error),
}

impl Others {
    /// Opens the slots, after following all changes in the cluster until now.
    pub(super) fn open(
        cluster: ClusterSettings,
        place: &StorePlace,
        nats: &Membership,
        settings: Settings,
        may_await: bool,
    ) -> Result<(Slots, Self), Failure> {
        // If the cluster of the store was lost, this creates no new one. If no cluster is reached, it creates no store.
        let there = place::find(place)?;
        let id = there.as_ref().map(Store::cluster_id).transpose()?.flatten();
        match (there, id) {
            (Some(store), Some(id)) if may_await => {
                Self::seek(store, Awaited::new(cluster, id), nats, settings)
            }
            (there, id) => {
                let cluster = Cluster::connect(&ClusterSettings { id, ..cluster })?;
                let store = there.map_or_else(|| place::open(place), Ok)?;
                let host = place::host(&store, settings)?;
                let slots = Slots::open_shared(store, host, cluster.ledger(), nats.nats_allow_unsigned)?;
                let following = cluster.follow(&slots)?;
                Ok((slots, Self::Followed(cluster, following, None)))
            }
        }
    }

    /// Opens the slots of a store, and follows the cluster. If it cannot be reached now, waits for it in the background.
    fn seek(
        store: Store,
        awaited: Awaited,
        nats: &Membership,
        settings: Settings,
    ) -> Result<(Slots, Self), Failure> {
        let (host, awaited) = (place::host(&store, settings)?, Arc::new(awaited));
        let slots = Slots::open_shared(store, host, awaited.clone(), nats.nats_allow_unsigned)?;
        let followed = awaited.reach().and_then(|cluster| Ok((cluster.follow(&slots)?, cluster)));
        let others = match followed {
            Ok((following, cluster)) => Self::Followed(cluster, following, Some(awaited)),
            Err(why) if why.code() == codes::CLUSTER_FAULT => Self::Awaited(awaited, why),
            Err(error) => return Err(error.into()),
        };
        Ok((slots, others))
    }

    /// Returns the problem of a slot, or without one the first problem of any slot, that differs from the cluster.
    pub(super) fn trouble(&self, slots: &Slots, slot: Option<&str>) -> Option<Error> {
        let behind = |(name, trouble): (String, Error)| {
            // Stands for slots that are not named.
            if name.is_empty() {
                return trouble;
            }
            let message = format!("slot `{name}` is not as the cluster has it: {}", trouble.message());
            Error::new(trouble.code(), message)
        };
        let Self::Followed(_, following, _) = self else { return None };
        let mut troubles = slots.troubles().into_iter();
        let is_meant = |name: &str| slot.is_none_or(|slot| slot == name);
        troubles.find(|(name, _)| is_meant(name)).map(behind).or_else(|| following.trouble())
    }
}

/// Prints the records that a host sent to a cluster.
pub(crate) fn export_records<E: From<Error>>(
    cluster: &ClusterSettings,
    slot: &str,
    host: Option<&str>,
    print: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    Cluster::connect(cluster)?.export_records(slot, host, print)
}
