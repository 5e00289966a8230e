//! The other hosts of a cluster, and a store that is a copy of their slots.

use std::sync::Arc;

use adjudicate_cluster::{Cluster, ClusterSettings, Following, LazyConnection};
use adjudicate_core::Error;
use adjudicate_host::{Slots, Store};
use adjudicate_sandbox::HostSettings;

use super::Membership;
use crate::{
    codes,
    environment::Environment,
    failure::Failure,
    store_location::{self, StoreLocation},
};

/// The other hosts of a cluster.
#[derive(Debug)]
#[cfg_attr(not(feature = "serve"), expect(dead_code, reason = "a server asks for more of it"))]
pub(crate) enum OtherHosts {
    /// They were reached, and their changes are followed. A host that may start without them waits for them if they go away.
    Followed(Cluster, Following, Option<Arc<LazyConnection>>),
    /// They could not be reached or followed yet, with this error.
    LazyConnection(Arc<LazyConnection>, Error),
}

impl OtherHosts {
    /// Opens the slots, after following all changes in the cluster until now.
    pub(super) fn open(
        cluster: ClusterSettings,
        location: &StoreLocation,
        nats: &Membership,
        settings: HostSettings,
        may_start_without: bool,
        env: &Environment,
    ) -> Result<(Slots, Self), Failure> {
        // If the cluster of the store was lost, this creates no new one. If no cluster is reached, it creates no store.
        let store = store_location::find(location, env)?;
        let id = store.as_ref().map(Store::cluster_id).transpose()?.flatten();
        match (store, id) {
            (Some(store), Some(id)) if may_start_without => {
                Self::open_lazily(store, LazyConnection::new(cluster, id), nats, settings, env)
            }
            (store, id) => {
                let cluster = Cluster::connect(&ClusterSettings { id, ..cluster })?;
                let store = store.map_or_else(|| store_location::open(location, env), Ok)?;
                let host = store_location::host(&store, settings, env)?;
                let slots = Slots::open_shared(store, host, cluster.ledger(), nats.nats_allow_unsigned)?;
                let following = cluster.follow(&slots)?;
                Ok((slots, Self::Followed(cluster, following, None)))
            }
        }
    }

    /// Opens the slots of a store, and follows the cluster. If it cannot be reached now, waits for it in the background.
    fn open_lazily(
        store: Store,
        lazy_connection: LazyConnection,
        nats: &Membership,
        settings: HostSettings,
        env: &Environment,
    ) -> Result<(Slots, Self), Failure> {
        let (host, lazy_connection) =
            (store_location::host(&store, settings, env)?, Arc::new(lazy_connection));
        let slots = Slots::open_shared(store, host, lazy_connection.clone(), nats.nats_allow_unsigned)?;
        let followed = lazy_connection.reach().and_then(|cluster| Ok((cluster.follow(&slots)?, cluster)));
        let other_hosts = match followed {
            Ok((following, cluster)) => Self::Followed(cluster, following, Some(lazy_connection)),
            Err(why) if why.code() == codes::CLUSTER_FAULT => Self::LazyConnection(lazy_connection, why),
            Err(error) => return Err(error.into()),
        };
        Ok((slots, other_hosts))
    }

    /// Returns the problem of a slot, or without one the first problem of any slot, that differs from the cluster.
    pub(super) fn problem(&self, slots: &Slots, slot: Option<&str>) -> Option<Error> {
        let behind = |(name, problem): (String, Error)| {
            // Stands for slots that are not named.
            if name.is_empty() {
                return problem;
            }
            let message = format!("slot `{name}` is not as the cluster has it: {}", problem.message());
            Error::new(problem.code(), message)
        };
        let Self::Followed(_, following, _) = self else { return None };
        let mut problems = slots.problems().into_iter();
        let is_meant = |name: &str| slot.is_none_or(|slot| slot == name);
        problems.find(|(name, _)| is_meant(name)).map(behind).or_else(|| following.problem())
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
