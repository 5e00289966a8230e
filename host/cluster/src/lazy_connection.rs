//! A cluster that a host may not reach when it starts.

use std::sync::{PoisonError, RwLock};

use adjudicate_core::Error;
use adjudicate_host::{Proposed, SlotLedger};
use adjudicate_sandbox::Digest;

use crate::{cluster::Cluster, fault::fault, settings::ClusterSettings};

/// A cluster that a host may not reach when it starts. Until it is reached, changes of its ledger fail. It is for a store that
/// already belongs to the cluster: the slots of that store can be called meanwhile.
///
/// ```
/// use std::{sync::Arc, time::Duration};
/// use adjudicate_cluster::{ClusterSettings, LazyConnection};
/// use adjudicate_host::{SlotLedger, codes};
/// # let unused = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
/// let settings = ClusterSettings { patience: Duration::from_secs(1), ..ClusterSettings::at(format!("nats://{unused}")) };
/// let lazy_connection = Arc::new(LazyConnection::new(settings, "c-00000000000000000000000000000000"));
/// // Slots::open_shared(store, host, lazy_connection.clone(), false), and now and then:
/// assert_eq!(lazy_connection.reach().unwrap_err().code(), codes::CLUSTER_FAULT);
/// assert_eq!(lazy_connection.id(), "c-00000000000000000000000000000000");
/// ```
#[derive(Debug)]
pub struct LazyConnection {
    settings: ClusterSettings,
    id: String,
    reached: RwLock<Result<Cluster, Error>>,
}

impl LazyConnection {
    /// Creates a cluster with this id and these settings, without connecting.
    ///
    /// ```
    /// use adjudicate_cluster::{ClusterSettings, LazyConnection};
    /// use adjudicate_host::SlotLedger;
    /// let lazy_connection = LazyConnection::new(ClusterSettings::at("nats://nats.example:4222"), "c-00000000000000000000000000000000");
    /// assert_eq!(lazy_connection.id(), "c-00000000000000000000000000000000");
    /// ```
    #[must_use]
    pub fn new(settings: ClusterSettings, id: impl Into<String>) -> Self {
        let id = id.into();
        let reached = RwLock::new(Err(fault("no attempt to connect yet")));
        Self { settings: ClusterSettings { id: Some(id.clone()), ..settings }, id, reached }
    }

    /// The name of the cluster, which is the prefix of its subjects, buckets and streams.
    ///
    /// ```
    /// # use adjudicate_cluster::{ClusterSettings, LazyConnection};
    /// # let lazy_connection = LazyConnection::new(ClusterSettings::at("nats://127.0.0.1:1"), "c-1");
    /// assert_eq!(lazy_connection.name(), "adjudicate");
    /// ```
    #[must_use]
    pub fn name(&self) -> &str {
        &self.settings.name
    }

    /// Connects, unless the cluster was already reached. Does not create a cluster.
    ///
    /// # Errors
    ///
    /// Those of [`Cluster::connect`].
    ///
    /// ```
    /// # use adjudicate_cluster::{ClusterSettings, LazyConnection};
    /// # let lazy_connection = LazyConnection::new(ClusterSettings::at("nats://127.0.0.1:1"), "c-1");
    /// while let Err(why) = lazy_connection.reach() {
    ///     eprintln!("{why}");
    /// #   break;
    /// }
    /// ```
    pub fn reach(&self) -> Result<Cluster, Error> {
        if let Ok(cluster) = self.cluster() {
            return Ok(cluster);
        }
        let reached = Cluster::connect(&self.settings);
        self.reached.write().unwrap_or_else(PoisonError::into_inner).clone_from(&reached);
        reached
    }

    /// Returns the cluster if it was reached.
    ///
    /// # Errors
    ///
    /// [`cluster_fault`](adjudicate_host::codes::CLUSTER_FAULT) with the error of the latest attempt to connect.
    ///
    /// ```
    /// # use adjudicate_cluster::{ClusterSettings, LazyConnection};
    /// # let lazy_connection = LazyConnection::new(ClusterSettings::at("nats://127.0.0.1:1"), "c-1");
    /// assert!(lazy_connection.cluster().unwrap_err().message().contains("was not reached"));
    /// ```
    pub fn cluster(&self) -> Result<Cluster, Error> {
        let reached = self.reached.read().unwrap_or_else(PoisonError::into_inner);
        reached.clone().map_err(|error| {
            let message = format!("the cluster was not reached since this host started: {}", error.message());
            fault(message).with_source(error)
        })
    }
}

impl SlotLedger for LazyConnection {
    fn id(&self) -> &str {
        &self.id
    }

    fn put(&self, slot: &str, before: Option<i64>, proposed: &Proposed<'_>) -> Result<i64, Error> {
        self.cluster()?.put(slot, before, proposed)
    }

    fn store_module(&self, digest: Digest, bytes: &[u8]) -> Result<(), Error> {
        self.cluster()?.store_module(digest, bytes)
    }

    fn module(&self, digest: Digest, most: usize) -> Result<Vec<u8>, Error> {
        self.cluster()?.module(digest, most)
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    #[test]
    fn the_error_of_the_latest_attempt_is_the_source() {
        let lazy_connection = LazyConnection::new(ClusterSettings::at("nats://nats.example:4222"), "c-1");
        let error = lazy_connection.cluster().unwrap_err();
        let source = error.source().and_then(|source| source.downcast_ref::<Error>());
        assert_eq!(source, Some(&fault("no attempt to connect yet")));
    }
}
