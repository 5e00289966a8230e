//! A cluster that a host may not reach when it starts.

use std::sync::{Arc, PoisonError, RwLock};

use adjudicate_core::Error;
use adjudicate_host::{Ledger, Proposed};
use adjudicate_sandbox::Digest;

use crate::{cluster::Cluster, fault::fault, settings::Settings};

/// A cluster that a host may not reach when it starts: as a ledger it changes nothing until it is reached, and is the cluster's from
/// then on. It is for a store that was of the cluster before: its slots can be called meanwhile.
///
/// ```
/// use std::{sync::Arc, time::Duration};
/// use adjudicate_cluster::{Awaited, Settings};
/// use adjudicate_host::{Ledger, codes};
/// # let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
/// let settings = Settings { patience: Duration::from_secs(1), ..Settings::at(format!("nats://{nobody}")) };
/// let awaited = Arc::new(Awaited::new(settings, "c-00000000000000000000000000000000"));
/// // Slots::open_shared(store, host, awaited.clone(), false), and now and then:
/// assert_eq!(awaited.reach().unwrap_err().code(), codes::CLUSTER_FAULT);
/// assert_eq!(awaited.id(), "c-00000000000000000000000000000000");
/// ```
#[derive(Debug)]
pub struct Awaited {
    settings: Settings,
    id: String,
    reached: RwLock<Result<Cluster, Error>>,
}

impl Awaited {
    /// The cluster with this id, by these settings. Nothing is connected to.
    ///
    /// ```
    /// use adjudicate_cluster::{Awaited, Settings};
    /// use adjudicate_host::Ledger;
    /// let awaited = Awaited::new(Settings::at("nats://nats.example:4222"), "c-00000000000000000000000000000000");
    /// assert_eq!(awaited.id(), "c-00000000000000000000000000000000");
    /// ```
    #[must_use]
    pub fn new(settings: Settings, id: impl Into<String>) -> Self {
        let id = id.into();
        let reached = RwLock::new(Err(fault("nobody tried")));
        Self { settings: Settings { id: Some(id.clone()), ..settings }, id, reached }
    }

    /// What the cluster is called: subjects, buckets and streams begin with it.
    ///
    /// ```
    /// # use adjudicate_cluster::{Awaited, Settings};
    /// # let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    /// # let settings = Settings::at(format!("nats://{nobody}"));
    /// # let awaited = Awaited::new(settings, "c-00000000000000000000000000000000");
    /// assert_eq!(awaited.name(), "adjudicate");
    /// ```
    #[must_use]
    pub fn name(&self) -> &str {
        &self.settings.name
    }

    /// Connects, unless that was done; no cluster is made where there is none.
    ///
    /// # Errors
    ///
    /// Those of [`Cluster::connect`].
    ///
    /// ```
    /// # use adjudicate_cluster::{Awaited, Settings};
    /// # let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    /// # let settings = Settings::at(format!("nats://{nobody}"));
    /// # let awaited = Awaited::new(settings, "c-00000000000000000000000000000000");
    /// while let Err(why) = awaited.reach() {
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

    /// The cluster.
    ///
    /// # Errors
    ///
    /// [`cluster_fault`](adjudicate_host::codes::CLUSTER_FAULT) with why it was not reached when it was tried last.
    ///
    /// ```
    /// # use adjudicate_cluster::{Awaited, Settings};
    /// # let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    /// # let settings = Settings::at(format!("nats://{nobody}"));
    /// # let awaited = Awaited::new(settings, "c-00000000000000000000000000000000");
    /// assert!(awaited.cluster().unwrap_err().message().contains("was not reached"));
    /// ```
    pub fn cluster(&self) -> Result<Cluster, Error> {
        let reached = self.reached.read().unwrap_or_else(PoisonError::into_inner);
        reached.clone().map_err(|why| {
            fault(format!("the cluster was not reached since this host started: {}", why.message()))
        })
    }

    fn ledger(&self) -> Result<Arc<dyn Ledger>, Error> {
        Ok(self.cluster()?.ledger())
    }
}

impl Ledger for Awaited {
    fn id(&self) -> &str {
        &self.id
    }

    fn put(&self, slot: &str, before: Option<i64>, proposed: &Proposed<'_>) -> Result<i64, Error> {
        self.ledger()?.put(slot, before, proposed)
    }

    fn keep_module(&self, digest: Digest, bytes: &[u8]) -> Result<(), Error> {
        self.ledger()?.keep_module(digest, bytes)
    }

    fn module(&self, digest: Digest, most: usize) -> Result<Vec<u8>, Error> {
        self.ledger()?.module(digest, most)
    }
}
