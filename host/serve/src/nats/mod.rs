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
mod subject;

use std::{
    error, fmt,
    sync::{
        Arc, OnceLock, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use adjudicate_core::Error;
use async_nats::{Client, Subscriber, connection::State};
use axum::body::Bytes;
use futures_util::{
    StreamExt,
    stream::{SelectAll, select_all},
};
use tokio::{
    runtime::Handle,
    sync::{Semaphore, oneshot},
    time::{Instant, timeout_at},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{calls::Calls, cluster_state::ClusterState, codes, request_record::Observers};
use answer::answer;
use discovery::Discovery;
use subject::Subjects;

/// The name of the service in NATS' services API.
pub(crate) const SERVICE: &str = "adjudicate";

/// More messages than a subscription ever gets. A NATS server reads numbers of up to nine digits, and treats a longer one as a request
/// to end the subscription at once. The client keeps the subscription until it received this many messages, so it still receives
/// those on their way. A server that reads the whole number sends until [`Subscriber::drain`], which the library ends a little early.
const EVERYTHING: u64 = 10_000_000_000;

/// The time in which the server must return an echo.
const ECHO: Duration = Duration::from_secs(5);

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
#[derive(Debug)]
pub(crate) struct NatsTransport {
    pub(crate) nats: Nats,
    /// The connection, after the first connect. It reconnects by itself.
    client: OnceLock<Client>,
    is_joined: AtomicBool,
    /// The task that receives messages. It ends after the last one.
    receiving: TaskTracker,
    subjects: Subjects,
    discovery: Discovery,
    /// One permit for each message in progress.
    permits: Arc<Semaphore>,
    most: u32,
    /// The state at the last refresh.
    cluster_state: RwLock<ClusterState>,
}

impl NatsTransport {
    /// Allows `most` messages in progress.
    pub(crate) fn new(nats: Nats, most: u32) -> Self {
        let subjects = Subjects::new(&nats.cluster);
        let discovery = Discovery::new(&nats, &subjects);
        let cluster_state = RwLock::new((nats.cluster_state)());
        Self {
            nats,
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

    /// Returns the connection, if there ever was one.
    fn client(&self) -> Option<&Client> {
        self.client.get()
    }

    /// Returns the name of the cluster.
    pub(crate) fn name(&self) -> &str {
        &self.nats.cluster
    }

    /// Returns the host's id.
    pub(crate) fn host(&self) -> &str {
        &self.nats.host
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.client().is_some_and(is_connected)
    }

    /// Returns the number of connections so far.
    pub(crate) fn connects(&self) -> u64 {
        self.client().map_or(0, |client| client.statistics().connects.load(Ordering::Relaxed))
    }

    /// Returns the state of this host at the last refresh.
    pub(crate) fn cluster_state(&self) -> ClusterState {
        self.cluster_state.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Updates the state of this host. May block.
    pub(crate) fn refresh(&self) {
        let cluster_state = (self.nats.cluster_state)();
        *self.cluster_state.write().unwrap_or_else(PoisonError::into_inner) = cluster_state;
    }

    /// Joins the queue group.
    async fn subscribe(&self, client: &Client) -> Result<Subscriptions, Error> {
        let cluster = &self.nats.cluster;
        let mut calls = Vec::new();
        for subject in self.subjects.all() {
            let subscribed = client.queue_subscribe(subject.to_owned(), cluster.clone()).await;
            calls.push(subscribed.map_err(fault)?);
        }
        let mut questions = Vec::new();
        for subject in self.discovery.subjects() {
            questions.push(client.subscribe(subject).await.map_err(fault)?);
        }
        echo(client, Instant::now() + ECHO).await.map_err(fault)?;
        Ok(Subscriptions { calls: select_all(calls), questions: select_all(questions) })
    }

    /// Waits until the last message was received and all are answered, or until `end`. Returns the number of messages without an answer.
    pub(crate) async fn finish(&self, end: Instant) -> u32 {
        self.receiving.close();
        let _ = timeout_at(end, self.receiving.wait()).await;
        let all = timeout_at(end, self.permits.acquire_many(self.most)).await;
        // After the echo, the NATS server has received all answers.
        if let Some(client) = self.client() {
            let _ = echo(client, end.max(Instant::now() + Duration::from_millis(200))).await;
        }
        match all {
            Ok(Ok(_)) => 0,
            _ => {
                self.most.saturating_sub(u32::try_from(self.permits.available_permits()).unwrap_or(u32::MAX))
            }
        }
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

/// The state that the answer to a message needs.
#[derive(Clone)]
pub(crate) struct Service {
    pub(crate) calls: Arc<Calls>,
    pub(crate) observers: Arc<Observers>,
    pub(crate) transport: Arc<NatsTransport>,
}

/// The queue group that a server can join, on any thread that may block.
#[derive(Clone)]
pub struct Group {
    pub(crate) service: Service,
    pub(crate) runtime: Handle,
    pub(crate) closing: CancellationToken,
}

impl fmt::Debug for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Group").field("nats", &self.service.transport.nats).finish_non_exhaustive()
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
        let Self { service, runtime, closing } = self.clone();
        let transport = Arc::clone(&service.transport);
        if closing.is_cancelled() {
            return Err(ended());
        }
        if transport.is_joined.swap(true, Ordering::Relaxed) {
            return Err(Error::new(codes::WRONG_USAGE, "the server already answers over NATS"));
        }
        let client = transport.client.get_or_init(|| client.clone()).clone();
        let (sender, receiver) = oneshot::channel();
        let task = async move {
            // The caller waits for the result.
            match service.transport.subscribe(&client).await {
                Err(error) => drop(sender.send(Err(error))),
                Ok(subscriptions) => {
                    let _ = sender.send(Ok(()));
                    subscriptions.answer(service, closing).await;
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
    async fn answer(mut self, service: Service, closing: CancellationToken) {
        let transport = &service.transport;
        loop {
            tokio::select! {
                message = self.calls.next() => match message {
                    Some(message) => answer(&service, message).await,
                    // The connection was closed for good; `/readyz` reports this.
                    None => return,
                },
                Some(question) = self.questions.next() => transport.discovery.answer(transport, question).await,
                () = closing.cancelled() => break,
            }
        }
        drop(self.questions);
        for subscription in self.calls.iter_mut() {
            let _ = subscription.unsubscribe_after(EVERYTHING).await;
        }
        let gone = async {
            match transport.client() {
                Some(client) => echo(client, Instant::now() + ECHO).await,
                None => Ok(()),
            }
        };
        tokio::pin!(gone);
        let is_gone = loop {
            tokio::select! {
                message = self.calls.next() => match message {
                    Some(message) => answer(&service, message).await,
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
            answer(&service, message).await;
        }
    }
}
