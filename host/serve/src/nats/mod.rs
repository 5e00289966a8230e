//! The NATS interface: the calls of the HTTP interface, as messages of a queue group of all hosts of a cluster.
//!
//! ```text
//! message -> reply subject -> place -> size, memory -> concurrency limiter -> bytes -> reply subject
//! ```
//!
//! Owns the subscriptions and their end. Limits, the handler and the observers are those of the HTTP interface. The permissions of
//! NATS decide which clients may send messages. The library's own endpoints are not used: their errors have no body, and they lose
//! messages that arrive while they stop.

mod answer;
mod discovery;

use std::{
    error, fmt,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use adjudicate_core::Error;
use arc_swap::ArcSwap;
use async_nats::{Client, Subscriber, connection::State};
use axum::body::Bytes;
use futures_util::{
    StreamExt,
    future::try_join_all,
    stream::{SelectAll, select_all},
};
use tokio::{
    runtime::Handle,
    sync::{Semaphore, oneshot},
    time::{Instant, timeout_at},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::{
    answer::{Subjects, answer},
    discovery::Discovery,
};
use crate::{calls::Calls, codes, documents::Membership, request_record::Observers};

/// The name of the service in NATS' services API.
pub(crate) const SERVICE: &str = "adjudicate";

/// More messages than a subscription ever gets. A NATS server reads numbers of up to nine digits, and treats a longer one as a request
/// to end the subscription at once. The client keeps the subscription until it received this many messages, so it still receives
/// those on their way. A server that reads the whole number sends until [`Subscriber::drain`], which the library ends a little early.
const EVERYTHING: u64 = 10_000_000_000;

/// The time in which the server must return an echo.
const ECHO: Duration = Duration::from_secs(5);

/// The state of a host in its cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterState {
    /// The differences between this host and the cluster, each a sentence.
    pub problems: Vec<String>,
    /// The number of decision records that the cluster has not confirmed yet.
    pub records_waiting: u64,
}

/// The cluster of a server.
pub struct Nats {
    /// The name of the cluster. Subjects begin with it, and the queue group has this name.
    pub cluster: String,
    /// The cluster's id. The services API returns it and the host's id to every client.
    pub id: String,
    /// The host's id.
    pub host: String,
    /// Returns the state of this host in the cluster. Called twice a second, on a thread that may block.
    pub cluster_state: Box<dyn Fn() -> ClusterState + Send + Sync>,
}

impl fmt::Debug for Nats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cluster, id, host, .. } = self;
        let mut text = f.debug_struct("Nats");
        text.field("cluster", cluster).field("id", id).field("host", host).finish_non_exhaustive()
    }
}

/// The state of the NATS interface that all requests share.
pub(crate) struct NatsTransport {
    nats: Nats,
    calls: Arc<Calls>,
    observers: Arc<Observers>,
    /// The connection, after the first connect. It reconnects by itself.
    client: OnceLock<Client>,
    is_joined: AtomicBool,
    /// The task that receives messages. It ends after the last one.
    receiving: TaskTracker,
    subjects: Subjects,
    discovery: Discovery,
    /// One permit for each message in progress.
    permits: Arc<Semaphore>,
    /// The number of permits.
    most: u32,
    /// The state at the last refresh.
    cluster_state: ArcSwap<ClusterState>,
}

impl NatsTransport {
    pub(crate) fn new(nats: Nats, calls: Arc<Calls>, observers: Arc<Observers>) -> Self {
        let subjects = Subjects::new(&nats.cluster);
        let discovery = Discovery::new(&nats, &subjects);
        let cluster_state = ArcSwap::from_pointee((nats.cluster_state)());
        let most = calls.limits.calls.saturating_add(calls.limits.queue);
        Self {
            nats,
            calls,
            observers,
            client: OnceLock::new(),
            is_joined: AtomicBool::new(false),
            receiving: TaskTracker::new(),
            subjects,
            discovery,
            permits: Arc::new(Semaphore::new(most as usize)),
            most,
            cluster_state,
        }
    }

    /// Returns the membership of this host, with its state at the last refresh.
    pub(crate) fn membership(&self) -> Membership {
        let client = self.client.get();
        let connects = client.map_or(0, |client| client.statistics().connects.load(Ordering::Relaxed));
        let cluster_state = self.cluster_state.load();
        Membership {
            name: self.nats.cluster.clone(),
            host: self.nats.host.clone(),
            connected: client.is_some_and(is_connected),
            problems: cluster_state.problems.len(),
            records_waiting: cluster_state.records_waiting,
            reconnects: connects.saturating_sub(1),
        }
    }

    /// Updates the state of this host. May block.
    pub(crate) fn refresh(&self) {
        self.cluster_state.store((self.nats.cluster_state)().into());
    }

    /// Joins the queue group.
    async fn subscribe(&self, client: &Client) -> Result<Subscriptions, Error> {
        let cluster = &self.nats.cluster;
        let calls =
            self.subjects.all().map(|subject| client.queue_subscribe(subject.to_owned(), cluster.clone()));
        let calls = try_join_all(calls).await.map_err(fault)?;
        let questions = self.discovery.subjects().into_iter().map(|subject| client.subscribe(subject));
        let questions = try_join_all(questions).await.map_err(fault)?;
        echo(client, Instant::now() + ECHO).await.map_err(fault)?;
        Ok(Subscriptions { calls: select_all(calls), questions: select_all(questions) })
    }

    /// Waits until the last message was received and all are answered, or until `end`. Returns the number of messages without an answer.
    pub(crate) async fn finish(&self, end: Instant) -> usize {
        self.receiving.close();
        let _ = timeout_at(end, self.receiving.wait()).await;
        let _ = timeout_at(end, self.permits.acquire_many(self.most)).await;
        // After the echo, the NATS server has received all answers.
        if let Some(client) = self.client.get() {
            let _ = echo(client, end.max(Instant::now() + Duration::from_millis(200))).await;
        }
        (self.most as usize).saturating_sub(self.permits.available_permits())
    }
}

fn is_connected(client: &Client) -> bool {
    client.connection_state() == State::Connected
}

/// Waits until the NATS server has read everything that was sent before. Does not wait without a connection.
async fn echo(client: &Client, end: Instant) -> Result<(), async_nats::Error> {
    if !is_connected(client) {
        return Err("not connected to NATS".into());
    }
    let inbox = client.new_inbox();
    let mut echo = client.subscribe(inbox.clone()).await?;
    client.publish(inbox, Bytes::new()).await?;
    let came = timeout_at(end.min(Instant::now() + ECHO), echo.next()).await;
    came.map_err(|_| "the NATS server did not answer in time")?.ok_or("the connection is closed")?;
    Ok(())
}

fn fault(error: impl Into<Box<dyn error::Error + Send + Sync>>) -> Error {
    Error::caused_by(codes::CLUSTER_FAULT, "cannot subscribe to the calls of the cluster", error)
}

/// The queue group that a server can join, on any thread that may block.
#[derive(Clone)]
pub struct Group {
    pub(crate) transport: Arc<NatsTransport>,
    pub(crate) runtime: Handle,
    pub(crate) closing: CancellationToken,
}

impl fmt::Debug for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Group").field("nats", &self.transport.nats).finish_non_exhaustive()
    }
}

impl Group {
    /// Answers messages over this connection until the server is drained. The connection reconnects by itself. Call this once.
    ///
    /// # Errors
    ///
    /// [`codes::CLUSTER_FAULT`] if the group cannot be joined, for example because the server ends; [`codes::WRONG_USAGE`] if it was
    /// joined before.
    pub fn join(&self, client: &Client) -> Result<(), Error> {
        let Self { transport, runtime, closing } = self.clone();
        if closing.is_cancelled() {
            return Err(ended());
        }
        if transport.is_joined.swap(true, Ordering::Relaxed) {
            return Err(Error::new(codes::WRONG_USAGE, "the server already answers over NATS"));
        }
        let client = transport.client.get_or_init(|| client.clone()).clone();
        let (sender, receiver) = oneshot::channel();
        let receiving = Arc::clone(&transport);
        let task = async move {
            // The caller waits for the result.
            match receiving.subscribe(&client).await {
                Err(error) => drop(sender.send(Err(error))),
                Ok(subscriptions) => {
                    let _ = sender.send(Ok(()));
                    subscriptions.answer(&receiving, &client, closing).await;
                }
            }
        };
        transport.receiving.spawn_on(task, &runtime);
        // Without a result, the server ended.
        let joined = receiver.blocking_recv().unwrap_or_else(|_| Err(ended()));
        transport.is_joined.store(joined.is_ok(), Ordering::Relaxed);
        joined
    }
}

fn ended() -> Error {
    fault("the server is ending")
}

/// The incoming messages.
#[derive(Debug)]
struct Subscriptions {
    calls: SelectAll<Subscriber>,
    questions: SelectAll<Subscriber>,
}

impl Subscriptions {
    /// Receives messages until the end, then those on their way. Each message is answered by its own task, so none delays the next.
    async fn answer(mut self, transport: &Arc<NatsTransport>, client: &Client, closing: CancellationToken) {
        loop {
            tokio::select! {
                message = self.calls.next() => match message {
                    Some(message) => answer(transport, message).await,
                    // The connection was closed for good; `/readyz` reports this.
                    None => return,
                },
                Some(question) = self.questions.next() => transport.discovery.answer(client, question).await,
                () = closing.cancelled() => break,
            }
        }
        drop(self.questions);
        for subscription in self.calls.iter_mut() {
            let _ = subscription.unsubscribe_after(EVERYTHING).await;
        }
        let gone = echo(client, Instant::now() + ECHO);
        tokio::pin!(gone);
        let is_gone = loop {
            tokio::select! {
                message = self.calls.next() => match message {
                    Some(message) => answer(transport, message).await,
                    None => return,
                },
                gone = &mut gone => break gone.is_ok(),
            }
        };
        for subscription in self.calls.iter_mut() {
            let _ = subscription.drain().await;
        }
        // Without a connection nothing ends the subscriptions, and no further messages arrive.
        let end = Instant::now() + if is_gone { ECHO } else { Duration::ZERO };
        while let Ok(Some(message)) = timeout_at(end, self.calls.next()).await {
            answer(transport, message).await;
        }
    }
}
