//! The connection to a cluster.

use std::{sync::Arc, time::Duration};

use adjudicate_core::Error;
use async_nats::{Client, jetstream};
use tokio::runtime::Handle;

use crate::{
    address::Addresses,
    connect::{OpenedCluster, open, options},
    connection::{Inner, with_notice},
    notices::Notices,
    settings::ClusterSettings,
    threads::{Threads, wait},
};

/// A connection to a cluster. Clones are cheap and share the connection.
///
/// The connection has threads of its own. Functions that need an answer from NATS block the calling thread, so do not call them in
/// asynchronous tasks. A lost connection is restored in the background, however long that takes.
///
/// ```no_run
/// use adjudicate_cluster::{Cluster, ClusterSettings};
/// let cluster = Cluster::connect(&ClusterSettings::at("nats://127.0.0.1:4222"))?;
/// println!("{} {}", cluster.name(), cluster.id());
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cluster {
    pub(crate) inner: Arc<Inner>,
}

impl Cluster {
    /// Connects. Creates the missing buckets and streams, checks the existing ones, and reads or creates the cluster's id.
    ///
    /// # Errors
    ///
    /// | Error | Cause |
    /// | --- | --- |
    /// | [`wrong_usage`](adjudicate_host::codes::WRONG_USAGE) | the settings cannot work, or the cluster has another id than [`ClusterSettings::id`] |
    /// | [`unreadable_input`](adjudicate_host::codes::UNREADABLE_INPUT) | the file of credentials or certificates cannot be read |
    /// | [`cluster_fault`](adjudicate_host::codes::CLUSTER_FAULT) | no server can be reached, it rejects this user, the cluster with this id does not exist, or an existing bucket or stream would lose data |
    ///
    /// ```no_run
    /// use adjudicate_cluster::{Cluster, ClusterSettings};
    /// let settings = ClusterSettings { replicas: 3, ..ClusterSettings::at("tls://nats-1.example:4222,tls://nats-2.example:4222") };
    /// let cluster = Cluster::connect(&settings)?;
    /// assert!(cluster.is_connected());
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn connect(settings: &ClusterSettings) -> Result<Self, Error> {
        settings.check()?;
        let addresses = Addresses::read(&settings.url)?;
        let notices = Notices::default();
        let options = options(settings, &addresses, &notices)?;
        let threads = Threads::start()?;
        let handle = threads.handle()?;
        let opened = wait(&handle, open(settings.clone(), addresses, options));
        let opened = opened.map_err(|error| with_notice(error, &notices, settings.patience))?;
        let OpenedCluster { client, jetstream, slots, modules, records, id } = opened;
        let inner = Inner {
            name: settings.name.clone(),
            id,
            patience: settings.patience,
            client,
            jetstream,
            slots,
            modules,
            records,
            notices,
            handle,
            _threads: threads,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The name of the cluster, which is the prefix of its subjects, buckets and streams.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, ClusterSettings};
    /// # let cluster = Cluster::connect(&ClusterSettings::at("nats://127.0.0.1:4222"))?;
    /// assert_eq!(cluster.name(), "adjudicate");
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The id of the cluster. The first host draws it and stores it in the bucket of slots.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, ClusterSettings};
    /// # let cluster = Cluster::connect(&ClusterSettings::at("nats://127.0.0.1:4222"))?;
    /// assert!(cluster.id().starts_with("c-"));
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn id(&self) -> &str {
        &self.inner.id
    }

    /// The NATS client of the connection, for services. Its tasks run on the threads of the cluster.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, ClusterSettings};
    /// # let cluster = Cluster::connect(&ClusterSettings::at("nats://127.0.0.1:4222"))?;
    /// let client = cluster.client();
    /// let sent = async move { client.publish("deploys.begun", "release".into()).await };
    /// cluster.handle().block_on(sent).map_err(std::io::Error::other)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn client(&self) -> Client {
        self.inner.client.clone()
    }

    /// The JetStream context of the connection.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, ClusterSettings};
    /// # let cluster = Cluster::connect(&ClusterSettings::at("nats://127.0.0.1:4222"))?;
    /// let jetstream = cluster.jetstream();
    /// let stream = cluster.handle().block_on(async move { jetstream.get_stream("adjudicate-records").await })?;
    /// println!("{} messages", stream.cached_info().state.messages);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn jetstream(&self) -> jetstream::Context {
        self.inner.jetstream.clone()
    }

    /// The runtime of the connection's threads.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, ClusterSettings};
    /// # let cluster = Cluster::connect(&ClusterSettings::at("nats://127.0.0.1:4222"))?;
    /// let client = cluster.client();
    /// cluster.handle().spawn(async move {
    ///     let _ = client.flush().await;
    /// });
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn handle(&self) -> Handle {
        self.inner.handle.clone()
    }

    /// True if there is a connection now. A server that hangs with open connections is detected after about 15 seconds.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, ClusterSettings};
    /// # let cluster = Cluster::connect(&ClusterSettings::at("nats://127.0.0.1:4222"))?;
    /// while !cluster.is_connected() {
    ///     std::thread::sleep(std::time::Duration::from_millis(100));
    /// }
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.inner.is_connected()
    }

    /// The largest size of a message in bytes, including its headers.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, ClusterSettings};
    /// # let cluster = Cluster::connect(&ClusterSettings::at("nats://127.0.0.1:4222"))?;
    /// println!("answers have up to {} bytes", cluster.max_payload());
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn max_payload(&self) -> usize {
        self.inner.client.max_payload()
    }

    /// The longest time to wait for an answer of the servers.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, ClusterSettings};
    /// # let cluster = Cluster::connect(&ClusterSettings::at("nats://127.0.0.1:4222"))?;
    /// assert_eq!(cluster.patience(), std::time::Duration::from_secs(10));
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn patience(&self) -> Duration {
        self.inner.patience
    }

    /// The last message of a server within this time that did not answer a request. Most of them report a missing permission.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, ClusterSettings};
    /// # let cluster = Cluster::connect(&ClusterSettings::at("nats://127.0.0.1:4222"))?;
    /// if let Some(notice) = cluster.notice(std::time::Duration::from_secs(5)) {
    ///     eprintln!("message of a server: {notice}");
    /// }
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn notice(&self, within: Duration) -> Option<String> {
        self.inner.notices.within(within)
    }
}
