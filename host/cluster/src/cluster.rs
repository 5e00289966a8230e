//! The connection, and what is reached through it.

use std::{sync::Arc, time::Duration};

use adjudicate_core::Error;
use async_nats::{Client, jetstream};
use tokio::runtime::Handle;

use crate::{
    address::Addresses,
    connect::{Opened, open, options},
    connected::{Inner, with_notice},
    notices::Notices,
    settings::Settings,
    threads::{Threads, wait},
};

/// What hosts share through NATS, connected. Cheap to clone; all clones are one connection.
///
/// The connection has threads of its own. Whatever here takes an answer from NATS waits for it: it is for threads that may wait, not
/// for tasks of an asynchronous program. A connection that is lost is made again in the background, however long that takes.
///
/// ```no_run
/// use adjudicate_cluster::{Cluster, Settings};
/// let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
/// println!("{} {}", cluster.name(), cluster.id());
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Cluster {
    pub(crate) inner: Arc<Inner>,
}

impl Cluster {
    /// Connects, makes the buckets and streams that are not there, checks those that are, and reads the cluster's id or makes it.
    ///
    /// # Errors
    ///
    /// [`wrong_usage`](adjudicate_host::codes::WRONG_USAGE) for settings that cannot work, and where the cluster is another one than
    /// [`Settings::id`] says; [`unreadable_input`](adjudicate_host::codes::UNREADABLE_INPUT) for a file of credentials or certificates
    /// that cannot be read; [`cluster_fault`](adjudicate_host::codes::CLUSTER_FAULT) if no server can be reached, if it refuses this
    /// user, if the cluster that is meant is not there, or if a bucket or stream is there and would lose what is put into it.
    ///
    /// ```no_run
    /// use adjudicate_cluster::{Cluster, Settings};
    /// let settings = Settings { replicas: 3, ..Settings::at("tls://nats-1.example:4222,tls://nats-2.example:4222") };
    /// let cluster = Cluster::connect(&settings)?;
    /// assert!(cluster.is_connected());
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn connect(settings: &Settings) -> Result<Self, Error> {
        settings.check()?;
        let addresses = Addresses::read(&settings.url)?;
        let notices = Notices::default();
        let options = options(settings, &addresses, &notices)?;
        let threads = Threads::start()?;
        let handle = threads.handle()?;
        let opened = wait(&handle, open(settings.clone(), addresses, options));
        let opened = opened.map_err(|error| with_notice(error, &notices, settings.patience))?;
        let Opened { client, jetstream, slots, modules, loans, records, id } = opened;
        let inner = Inner {
            name: settings.name.clone(),
            id,
            patience: settings.patience,
            client,
            jetstream,
            slots,
            modules,
            loans,
            records,
            notices,
            handle,
            _threads: threads,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// What the cluster is called: subjects, buckets and streams begin with it.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, Settings};
    /// # let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
    /// assert_eq!(cluster.name(), "adjudicate");
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Which cluster it is: made by whoever was first, kept in the bucket of slots.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, Settings};
    /// # let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
    /// assert!(cluster.id().starts_with("c-"));
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn id(&self) -> &str {
        &self.inner.id
    }

    /// The connection, for whoever answers on it. Its tasks run on the cluster's own threads.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, Settings};
    /// # let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
    /// let client = cluster.client();
    /// let sent = async move { client.publish("deploys.begun", "release".into()).await };
    /// cluster.handle().block_on(sent).map_err(std::io::Error::other)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn client(&self) -> Client {
        self.inner.client.clone()
    }

    /// The streams behind the connection.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, Settings};
    /// # let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
    /// let jetstream = cluster.jetstream();
    /// let stream = cluster.handle().block_on(async move { jetstream.get_stream("adjudicate-records").await })?;
    /// println!("{} messages", stream.cached_info().state.messages);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn jetstream(&self) -> jetstream::Context {
        self.inner.jetstream.clone()
    }

    /// The threads that the connection runs on.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, Settings};
    /// # let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
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

    /// Whether there is a connection now. That a server hangs, whose connections stay open, is noticed after some 15 seconds.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, Settings};
    /// # let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
    /// while !cluster.is_connected() {
    ///     std::thread::sleep(std::time::Duration::from_millis(100));
    /// }
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.inner.is_connected()
    }

    /// How long a message may be, its headers among it, in bytes.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, Settings};
    /// # let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
    /// println!("answers have up to {} bytes", cluster.max_payload());
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn max_payload(&self) -> usize {
        self.inner.client.max_payload()
    }

    /// How long the servers may take to answer.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, Settings};
    /// # let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
    /// assert_eq!(cluster.patience(), std::time::Duration::from_secs(10));
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn patience(&self) -> Duration {
        self.inner.patience
    }

    /// What a server said within this time that no request was the answer to: that something is not permitted, mostly.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, Settings};
    /// # let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
    /// if let Some(notice) = cluster.notice(std::time::Duration::from_secs(5)) {
    ///     eprintln!("a server said: {notice}");
    /// }
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn notice(&self, within: Duration) -> Option<String> {
        self.inner.notices.within(within)
    }
}
