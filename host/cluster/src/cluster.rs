//! The connection, and what is reached through it.

use std::{
    fmt,
    future::Future,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use adjudicate_core::{Error, ErrorCode};
use adjudicate_host::{Entry, Ledger};
use async_nats::{
    Client,
    connection::State,
    jetstream::{
        self, kv,
        message::StreamMessage,
        stream::{LastRawMessageErrorKind, Stream},
    },
};
use tokio::{runtime::Handle, time::sleep};

use crate::{
    address::Addresses,
    connect::{Opened, open, options},
    fault::{failed, fault},
    ledger::{self, Bucket},
    notices::Notices,
    settings::Settings,
    threads::{Threads, wait},
};

/// How often it is asked whether the connection is another one by now.
const LOOK: Duration = Duration::from_millis(250);
/// How long an answer is waited for once there is another connection: what was not sent yet goes through that one.
const LATE: Duration = Duration::from_secs(3);

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

/// What all clones share.
pub(crate) struct Inner {
    pub(crate) name: String,
    pub(crate) id: String,
    pub(crate) patience: Duration,
    pub(crate) client: Client,
    pub(crate) jetstream: jetstream::Context,
    pub(crate) slots: kv::Store,
    pub(crate) modules: jetstream::object_store::ObjectStore,
    pub(crate) loans: jetstream::object_store::ObjectStore,
    pub(crate) records: Stream,
    notices: Notices,
    /// Stopped with the last of all clones.
    _threads: Threads,
    handle: Handle,
}

impl Cluster {
    /// Connects, makes the buckets and streams that are not there, checks those that are, and reads the cluster's id or makes it.
    ///
    /// # Errors
    ///
    /// [`WrongUsage`](ErrorCode::WrongUsage) for settings that cannot work; [`UnreadableInput`](ErrorCode::UnreadableInput) for a file
    /// of credentials or certificates that cannot be read; [`ClusterFault`](ErrorCode::ClusterFault) if no server can be reached, if
    /// it refuses this user, or if a bucket or stream of that name is there and would lose what is put into it.
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

    /// Where the truth about slots is kept: the bucket.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, Settings};
    /// # let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
    /// use adjudicate_host::{Host, Slots, Store};
    /// let store = Store::open("store".as_ref())?;
    /// let host = Host::new(adjudicate_host::Settings::default())?;
    /// let slots = Slots::open_shared(store, host, cluster.ledger(), false)?;
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn ledger(&self) -> Arc<dyn Ledger> {
        Arc::new(Bucket(self.clone()))
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

/// What is under a slot's key: the entry that it should be.
pub(crate) struct Under {
    pub(crate) revision: u64,
    pub(crate) entry: Result<Entry, Error>,
}

/// What is needed to watch the bucket of slots, without holding the connection's threads.
pub(crate) struct Watched {
    pub(crate) slots: kv::Store,
    pub(crate) patience: Duration,
    client: Client,
}

impl Watched {
    /// How many connections were made so far.
    pub(crate) fn connections(&self) -> u64 {
        connections(&self.client)
    }

    /// Waits until there is another connection than when there were so many.
    pub(crate) async fn reconnected(&self, connections: u64) {
        reconnected(&self.client, connections).await;
    }
}

fn connections(client: &Client) -> u64 {
    client.statistics().connects.load(Ordering::Relaxed)
}

async fn reconnected(client: &Client, before: u64) {
    while connections(client) == before {
        sleep(LOOK).await;
    }
}

impl Inner {
    pub(crate) fn watched(&self) -> Watched {
        Watched { slots: self.slots.clone(), patience: self.patience, client: self.client.clone() }
    }

    /// How many connections were made so far.
    pub(crate) fn connections(&self) -> u64 {
        connections(&self.client)
    }

    pub(crate) const fn handle(&self) -> &Handle {
        &self.handle
    }

    /// What is under a slot's key, by whoever leads the bucket; `None` if it has none.
    pub(crate) fn last_entry(&self, slot: &str) -> Result<Option<Under>, Error> {
        let subject = format!("{}{}", self.slots.prefix, ledger::key(slot)?);
        let stream = self.slots.stream.clone();
        let message = self.wait(async move { last(&stream, &subject).await })?;
        Ok(message.map(|message| {
            let entry = ledger::entry(slot, operation(&message), message.sequence, &message.payload);
            Under { revision: message.sequence, entry }
        }))
    }

    /// The error, with the reason that a server gave beside it, if it did.
    pub(crate) fn noticed(&self, error: Error) -> Error {
        with_notice(error, &self.notices, self.patience)
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// An error unless there is a connection: what is asked without one would be sent whenever there is one again.
    pub(crate) fn require_connection(&self) -> Result<(), Error> {
        if self.is_connected() { Ok(()) } else { Err(fault("there is no connection to NATS now")) }
    }

    /// Waits for what runs on the connection's threads; an error gets the reason that a server gave beside it.
    pub(crate) fn wait<T: Send + 'static>(
        &self,
        future: impl Future<Output = Result<T, Error>> + Send + 'static,
    ) -> Result<T, Error> {
        let client = self.client.clone();
        let answered = async move {
            let before = connections(&client);
            tokio::select! {
                answer = future => answer,
                // What was asked through a connection that was lost is not answered any more.
                () = async { reconnected(&client, before).await; sleep(LATE).await } => {
                    Err(fault("the connection to NATS was lost meanwhile"))
                }
            }
        };
        wait(&self.handle, answered).map_err(|error| self.noticed(error))
    }
}

/// The last message of a subject, by whoever leads the stream.
pub(crate) async fn last(stream: &Stream, subject: &str) -> Result<Option<StreamMessage>, Error> {
    match stream.get_last_raw_message_by_subject(subject).await {
        Ok(message) => Ok(Some(message)),
        Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
        Err(error) => Err(failed("a stream cannot be read", error)),
    }
}

/// What was done to a key of a bucket, by the message that says it.
pub(crate) fn operation(message: &StreamMessage) -> kv::Operation {
    let said = message.headers.get("KV-Operation").and_then(|value| value.as_str().parse().ok());
    said.unwrap_or(kv::Operation::Put)
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, id, .. } = self;
        f.debug_struct("Cluster").field("name", name).field("id", id).finish_non_exhaustive()
    }
}

/// A request that is not permitted is not answered: what the server said meanwhile is the reason.
fn with_notice(error: Error, notices: &Notices, patience: Duration) -> Error {
    let notice = notices.within(patience + Duration::from_secs(1));
    match notice.filter(|_| error.code() == ErrorCode::ClusterFault) {
        Some(notice) => fault(format!("{} (a server said: {notice})", error.message())),
        None => error,
    }
}
