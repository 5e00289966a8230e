//! The connection to a cluster: identity, trusted certificates, and the buckets and streams that must exist.

use std::{fmt, path::Path, sync::Arc, time::Duration};

use adjudicate_core::Error;
use adjudicate_host::codes;
use async_nats::{
    Client, ConnectOptions,
    jetstream::{self, context::ContextBuilder},
};
use tokio::runtime::Handle;

use crate::{
    connection::{Inner, Notices, Threads, wait, with_notice},
    fault::failed,
    identity,
    layout::{self, Storage},
    settings::{Addresses, Bearer, ClusterSettings},
};

/// Interval of pings to a silent server. The client closes the connection after two unanswered pings when a third is due, so a
/// server that hangs is detected after 15 seconds.
const PING: Duration = Duration::from_secs(5);

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
    /// Stopped when the last clone is dropped.
    _threads: Arc<Threads>,
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
        let (threads, handle) = Threads::start()?;
        let opening = open(settings.clone(), addresses, options, notices.clone(), handle.clone());
        let inner =
            wait(&handle, opening).map_err(|error| with_notice(error, &notices, settings.patience))?;
        Ok(Self { inner: Arc::new(inner), _threads: Arc::new(threads) })
    }

    /// The name of the cluster, which is the prefix of its subjects, buckets and streams.
    ///
    /// ```no_run
    /// # fn example(cluster: &adjudicate_cluster::Cluster) {
    /// assert_eq!(cluster.name(), "adjudicate");
    /// # }
    /// ```
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// The id of the cluster. The first host draws it and stores it in the bucket of slots.
    ///
    /// ```no_run
    /// # fn example(cluster: &adjudicate_cluster::Cluster) {
    /// assert!(cluster.id().starts_with("c-"));
    /// # }
    /// ```
    #[must_use]
    pub fn id(&self) -> &str {
        &self.inner.id
    }

    /// The NATS client of the connection, for services. Its tasks run on the threads of the cluster.
    ///
    /// ```no_run
    /// # async fn example(cluster: &adjudicate_cluster::Cluster) -> Result<(), Box<dyn std::error::Error>> {
    /// cluster.client().publish("deploys.begun", "release".into()).await?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn client(&self) -> Client {
        self.inner.client.clone()
    }

    /// The JetStream context of the connection.
    ///
    /// ```no_run
    /// # async fn example(cluster: &adjudicate_cluster::Cluster) -> Result<(), Box<dyn std::error::Error>> {
    /// let stream = cluster.jetstream().get_stream("adjudicate-records").await?;
    /// println!("{} messages", stream.cached_info().state.messages);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn jetstream(&self) -> jetstream::Context {
        self.inner.jetstream.clone()
    }

    /// The runtime of the connection's threads.
    ///
    /// ```no_run
    /// # fn example(cluster: &adjudicate_cluster::Cluster) {
    /// let client = cluster.client();
    /// cluster.handle().spawn(async move { client.flush().await });
    /// # }
    /// ```
    #[must_use]
    pub fn handle(&self) -> Handle {
        self.inner.handle.clone()
    }

    /// True if there is a connection now. A server that hangs with open connections is detected after about 15 seconds.
    ///
    /// ```no_run
    /// # fn example(cluster: &adjudicate_cluster::Cluster) {
    /// assert!(cluster.is_connected());
    /// # }
    /// ```
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.inner.is_connected()
    }

    /// The largest size of a message in bytes, including its headers.
    ///
    /// ```no_run
    /// # fn example(cluster: &adjudicate_cluster::Cluster) {
    /// println!("answers have up to {} bytes", cluster.max_payload());
    /// # }
    /// ```
    #[must_use]
    pub fn max_payload(&self) -> usize {
        self.inner.client.max_payload()
    }

    /// The last message of a server within this time that did not answer a request. Most of them report a missing permission.
    ///
    /// ```no_run
    /// # fn example(cluster: &adjudicate_cluster::Cluster) {
    /// if let Some(notice) = cluster.notice(std::time::Duration::from_secs(5)) {
    ///     eprintln!("message of a server: {notice}");
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn notice(&self, within: Duration) -> Option<String> {
        self.inner.notices.within(within)
    }
}

async fn open(
    settings: ClusterSettings,
    addresses: Addresses,
    options: ConnectOptions,
    notices: Notices,
    handle: Handle,
) -> Result<Inner, Error> {
    let ClusterSettings { name, replicas, patience, id: meant, .. } = settings;
    let client = options.connect(addresses.servers).await;
    let client = client.map_err(|error| failed("no NATS server can be reached", error))?;
    let jetstream = ContextBuilder::new().timeout(patience).ack_timeout(patience).build(client.clone());
    if let Some(meant) = &meant {
        identity::check(&jetstream, &name, meant).await?;
    }
    for kept in [Storage::Modules, Storage::Slots] {
        layout::open(&jetstream, &name, replicas, kept).await?;
    }
    let records = layout::open(&jetstream, &name, replicas, Storage::Records).await?;
    let slots = jetstream.get_key_value(Storage::Slots.name(&name)).await;
    let slots = slots.map_err(|error| failed("the bucket of slots cannot be opened", error))?;
    let modules = jetstream.get_object_store(Storage::Modules.name(&name)).await;
    let modules = modules.map_err(|error| failed("the store of modules cannot be opened", error))?;
    let id = identity::read_or_make(&slots).await?;
    Ok(Inner { name, id, patience, client, jetstream, slots, modules, records, notices, handle })
}

fn options(
    settings: &ClusterSettings,
    addresses: &Addresses,
    notices: &Notices,
) -> Result<ConnectOptions, Error> {
    let heard = notices.clone();
    let options = ConnectOptions::new()
        .name("adjudicate")
        .connection_timeout(settings.patience)
        .request_timeout(Some(settings.patience))
        .ping_interval(PING)
        .require_tls(addresses.only_tls)
        // Otherwise the client would connect to servers that the operator did not configure.
        .ignore_discovered_servers()
        .event_callback(move |event| {
            heard.receive(&event);
            std::future::ready(())
        });
    let options = match &addresses.bearer {
        Bearer::Anonymous => options,
        Bearer::Token(token) => options.token(token.clone()),
        Bearer::User { name, password } => options.user_and_password(name.clone(), password.clone()),
    };
    let options = match &settings.authorities {
        None => options,
        Some(path) if read(path)?.contains("-----BEGIN CERTIFICATE-----") => {
            options.add_root_certificates(path.clone()).require_tls(true)
        }
        Some(path) => return Err(unreadable(path, "it has no certificate (PEM)")),
    };
    match &settings.credentials {
        None => Ok(options),
        // The error does not quote the file, because its content is secret.
        Some(path) => {
            options.credentials(&read(path)?).map_err(|_| unreadable(path, "it has no credentials"))
        }
    }
}

fn read(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|error| unreadable(path, &error).with_source(error))
}

fn unreadable(path: &Path, why: impl fmt::Display) -> Error {
    Error::new(codes::UNREADABLE_INPUT, format!("`{}` cannot be read: {why}", path.display()))
}
