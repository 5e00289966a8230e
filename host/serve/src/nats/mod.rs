//! The NATS face: the same calls as over HTTP, as messages of a queue group that every host of a cluster is in.
//!
//! ```text
//! message -> reply subject -> place -> size, room -> engine's lane -> bytes -> reply subject
//! ```
//!
//! Owns the subscriptions and their end. What a message may cost, who computes it and who is told of it is shared with the HTTP
//! face. Who may ask is for the permissions of NATS to say. The library's own endpoints are not used: their errors have no
//! body, and they lose what comes while they stop.

mod answer;
mod discovery;
mod subject;

use std::{
    fmt, mem,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock, atomic::Ordering},
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
    sync::{Semaphore, oneshot, watch},
    task::JoinHandle,
    time::{Instant, sleep, timeout_at},
};

use crate::{account::Observers, calls::Calls, codes, phase::Phase, standing::Standing};
use answer::answer;
use discovery::Discovery;
use subject::Subjects;

/// What the service is called among those that NATS knows of.
pub(crate) const SERVICE: &str = "adjudicate";

/// More messages than a subscription ever gets. A server reads numbers of nine digits, and takes a longer one as no number, which is
/// to end the subscription at once; the client keeps it until so many came. So what was on its way is still taken. A server
/// that reads it as a number goes on sending until [`Subscriber::drain`], which the library ends a little early.
const EVERYTHING: u64 = 10_000_000_000;

/// How often it is asked whether whoever joins has joined.
const JOINING: Duration = Duration::from_millis(20);

/// How long the server may take to send back what it was sent.
const ECHO: Duration = Duration::from_secs(5);

/// The cluster that a server is one of.
pub struct Nats {
    /// What the cluster is called: subjects begin with it, and the queue group has its name.
    pub cluster: String,
    /// The cluster's id. It and the host's are told to whoever asks which services there are.
    pub id: String,
    /// The host's id.
    pub host: String,
    /// How this host stands with the others. Asked twice a second, on a thread that may wait.
    pub standing: Box<dyn Fn() -> Standing + Send + Sync>,
}

impl fmt::Debug for Nats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cluster, id, host, .. } = self;
        let mut text = f.debug_struct("Nats");
        text.field("cluster", cluster).field("id", id).field("host", host).finish_non_exhaustive()
    }
}

/// The face, as requests share it.
#[derive(Debug)]
pub(crate) struct Face {
    pub(crate) nats: Nats,
    /// The connection, once there is one. It reconnects by itself.
    client: OnceLock<Client>,
    answering: Mutex<Answering>,
    subjects: Subjects,
    discovery: Discovery,
    /// One permit for each message that is being answered.
    places: Arc<Semaphore>,
    most: u32,
    /// As of a moment ago.
    standing: RwLock<Standing>,
}

impl Face {
    /// A face whose messages have so many places.
    pub(crate) fn new(nats: Nats, most: u32) -> Self {
        let subjects = Subjects::of(&nats.cluster);
        let discovery = Discovery::new(&nats, &subjects);
        let standing = RwLock::new((nats.standing)());
        let (client, answering, places) = (OnceLock::new(), Mutex::default(), Semaphore::new(most as usize));
        Self { nats, client, answering, subjects, discovery, places: Arc::new(places), most, standing }
    }

    /// The connection, where there ever was one.
    fn client(&self) -> Option<&Client> {
        self.client.get()
    }

    /// What the cluster is called.
    pub(crate) fn name(&self) -> &str {
        &self.nats.cluster
    }

    /// The host's id.
    pub(crate) fn host(&self) -> &str {
        &self.nats.host
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.client().is_some_and(is_connected)
    }

    /// How many connections were made so far.
    pub(crate) fn connects(&self) -> u64 {
        self.client().map_or(0, |client| client.statistics().connects.load(Ordering::Relaxed))
    }

    /// How this host stands with the others, as of a moment ago.
    pub(crate) fn standing(&self) -> Standing {
        self.standing.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Looks again. May wait.
    pub(crate) fn refresh(&self) {
        let standing = (self.nats.standing)();
        *self.standing.write().unwrap_or_else(PoisonError::into_inner) = standing;
    }

    /// Says that nobody answers any more once whoever does is done: that, where somebody did. Whoever joins just now has until then.
    pub(crate) async fn leave(&self, end: Instant) -> Option<JoinHandle<()>> {
        while matches!(*self.answering(), Answering::Joining) && Instant::now() < end {
            sleep(JOINING).await;
        }
        match mem::replace(&mut *self.answering(), Answering::Over) {
            Answering::Since(task) => Some(task),
            Answering::NotYet | Answering::Joining | Answering::Over => None,
        }
    }

    fn answering(&self) -> MutexGuard<'_, Answering> {
        self.answering.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Joins the queue group.
    async fn subscribe(&self, client: &Client) -> Result<Subscriptions, Error> {
        let cluster = &self.nats.cluster;
        let mut calls = Vec::new();
        for subject in self.subjects.all() {
            let subscribed = client.queue_subscribe(subject.to_owned(), cluster.clone()).await;
            calls.push(subscribed.map_err(|error| fault(&error))?);
        }
        let mut questions = Vec::new();
        for subject in self.discovery.subjects() {
            questions.push(client.subscribe(subject).await.map_err(|error| fault(&error))?);
        }
        echo(client, Instant::now() + ECHO).await.map_err(|error| fault(&error))?;
        Ok(Subscriptions { calls: select_all(calls), questions: select_all(questions) })
    }

    /// How many messages are still being answered once all are, or at this time.
    pub(crate) async fn finish(&self, end: Instant) -> u32 {
        let all = timeout_at(end, self.places.acquire_many(self.most)).await;
        // What was answered is with the server when this comes back.
        if let Some(client) = self.client() {
            let _ = echo(client, end.max(Instant::now() + Duration::from_millis(200))).await;
        }
        match all {
            Ok(Ok(_)) => 0,
            _ => self.most.saturating_sub(u32::try_from(self.places.available_permits()).unwrap_or(u32::MAX)),
        }
    }
}

fn is_connected(client: &Client) -> bool {
    client.connection_state() == State::Connected
}

/// Waits until the server has read all that it was sent before; not where there is none.
async fn echo(client: &Client, end: Instant) -> Result<(), async_nats::Error> {
    if !is_connected(client) {
        return Err("there is no connection to NATS now".into());
    }
    let inbox = client.new_inbox();
    let mut echo = client.subscribe(inbox.clone()).await?;
    client.publish(inbox, Bytes::new()).await?;
    let came = timeout_at(end.min(Instant::now() + ECHO), echo.next()).await;
    came.map_err(|_| "the NATS server did not answer in time")?.ok_or("the connection is closed")?;
    Ok(())
}

fn fault(error: &dyn fmt::Display) -> Error {
    Error::new(codes::CLUSTER_FAULT, format!("the calls of the cluster cannot be taken: {error}"))
}

/// Who answers the calls of the queue group.
#[derive(Debug, Default)]
enum Answering {
    #[default]
    NotYet,
    Joining,
    /// The task ends when all messages that came are taken.
    Since(JoinHandle<()>),
    /// The server ends.
    Over,
}

/// What answering a message needs.
#[derive(Clone)]
pub(crate) struct Service {
    pub(crate) calls: Arc<Calls>,
    pub(crate) observers: Arc<Observers>,
    pub(crate) face: Arc<Face>,
}

/// The queue group that a server can join, on any thread that may wait.
pub struct Group {
    pub(crate) service: Service,
    pub(crate) runtime: Handle,
    pub(crate) phase: watch::Receiver<Phase>,
}

impl fmt::Debug for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Group").field("nats", &self.service.face.nats).finish_non_exhaustive()
    }
}

impl Group {
    /// Answers what others ask over this connection, which reconnects by itself, until the server is drained. Once.
    ///
    /// # Errors
    ///
    /// [`codes::CLUSTER_FAULT`] when the group cannot be joined, as when the server ends already; [`codes::WRONG_USAGE`] where it
    /// was joined before.
    pub fn join(&self, client: &Client) -> Result<(), Error> {
        let Self { service, runtime, phase } = self;
        let face = &service.face;
        {
            let mut answering = face.answering();
            match *answering {
                Answering::NotYet => *answering = Answering::Joining,
                Answering::Joining | Answering::Since(_) => {
                    return Err(Error::new(codes::WRONG_USAGE, "the server answers over NATS already"));
                }
                Answering::Over => return Err(ended()),
            }
        }
        let subscribed = self.subscribe(client);
        let mut answering = face.answering();
        *answering = match (&*answering, subscribed) {
            (Answering::Joining, Ok(subscriptions)) => {
                let task = subscriptions.answer(service.clone(), phase.clone());
                Answering::Since(runtime.spawn(task))
            }
            (Answering::Joining, Err(error)) => {
                *answering = Answering::NotYet;
                return Err(error);
            }
            // Who drains the server waited for as long as it could.
            _ => return Err(ended()),
        };
        Ok(())
    }

    /// On the server's own threads, for as long as there are any.
    fn subscribe(&self, client: &Client) -> Result<Subscriptions, Error> {
        let (face, client) = (Arc::clone(&self.service.face), client.clone());
        let _ = face.client.set(client.clone());
        let (told, heard) = oneshot::channel();
        self.runtime.spawn(async move {
            // Whoever asked waits.
            let _ = told.send(face.subscribe(&client).await);
        });
        heard.blocking_recv().unwrap_or_else(|_| Err(ended()))
    }
}

fn ended() -> Error {
    fault(&"the server ends")
}

/// What comes.
#[derive(Debug)]
struct Subscriptions {
    calls: SelectAll<Subscriber>,
    questions: SelectAll<Subscriber>,
}

impl Subscriptions {
    /// Answers until the end, and then whatever was on its way. What is here only takes messages: whatever they cost is done
    /// elsewhere, so none of them holds up the next.
    async fn answer(mut self, service: Service, mut phase: watch::Receiver<Phase>) {
        let face = &service.face;
        loop {
            tokio::select! {
                message = self.calls.next() => match message {
                    Some(message) => answer(&service, message).await,
                    // The connection was closed for good; `/readyz` says so.
                    None => return,
                },
                Some(question) = self.questions.next() => face.discovery.answer(face, question).await,
                () = async { drop(phase.wait_for(|phase| *phase >= Phase::Closing).await) } => break,
            }
        }
        drop(self.questions);
        for subscription in self.calls.iter_mut() {
            let _ = subscription.unsubscribe_after(EVERYTHING).await;
        }
        let gone = async {
            match face.client() {
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
        // Without a connection nothing ends the subscriptions, and nothing more comes than is here.
        let end = Instant::now() + if is_gone { ECHO } else { Duration::ZERO };
        while let Ok(Some(message)) = timeout_at(end, self.calls.next()).await {
            answer(&service, message).await;
        }
    }
}
