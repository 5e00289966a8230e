//! The connection from the view of this crate: requests with a deadline, and reading streams and entries.

use std::{
    fmt,
    future::Future,
    sync::{Arc, Mutex, PoisonError, atomic::Ordering, mpsc},
    time::{Duration, Instant},
};

use adjudicate_core::Error;
use adjudicate_host::{SlotEntry, codes};
use async_nats::{
    Client, ClientError, Event, ServerError,
    connection::State,
    jetstream::{
        self, kv,
        message::StreamMessage,
        stream::{LastRawMessageErrorKind, Stream},
    },
};
use tokio::{
    runtime::{Builder, Handle, Runtime},
    time::sleep,
};

use crate::{
    fault::{failed, fault},
    slot_entry,
};

/// Interval at which the connection is checked for a change.
const LOOK: Duration = Duration::from_millis(250);
/// The time to wait for an answer after a reconnect. Requests that were not sent yet go through the new connection.
const LATE: Duration = Duration::from_secs(3);

/// The state that all clones share.
pub(crate) struct Inner {
    pub(crate) name: String,
    pub(crate) id: String,
    pub(crate) patience: Duration,
    pub(crate) client: Client,
    pub(crate) jetstream: jetstream::Context,
    pub(crate) slots: kv::Store,
    pub(crate) modules: jetstream::object_store::ObjectStore,
    pub(crate) records: Stream,
    pub(crate) notices: Notices,
    pub(crate) handle: Handle,
}

/// The value under a slot's key: a valid entry or an error.
pub(crate) struct SlotValue {
    pub(crate) revision: u64,
    pub(crate) entry: Result<SlotEntry, Error>,
}

/// The number of connections so far.
pub(crate) fn connections(client: &Client) -> u64 {
    client.statistics().connects.load(Ordering::Relaxed)
}

/// Waits for a new connection, compared with this number.
pub(crate) async fn reconnected(client: &Client, before: u64) {
    while connections(client) == before {
        sleep(LOOK).await;
    }
}

impl Inner {
    /// The latest value under a slot's key, from the leader of the bucket; `None` if the key does not exist.
    pub(crate) fn last_entry(&self, slot: &str) -> Result<Option<SlotValue>, Error> {
        let subject = format!("{}{}", self.slots.prefix, slot_entry::key(slot)?);
        let stream = self.slots.stream.clone();
        let message = self.wait(async move { last(&stream, &subject).await })?;
        Ok(message.map(|message| {
            let entry = slot_entry::entry(slot, operation(&message), message.sequence, &message.payload);
            SlotValue { revision: message.sequence, entry }
        }))
    }

    /// Adds the message of a server to an error, if there is one.
    pub(crate) fn noticed(&self, error: Error) -> Error {
        with_notice(error, &self.notices, self.patience)
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// Fails without a connection: a request would otherwise be sent later, when there is one again.
    pub(crate) fn require_connection(&self) -> Result<(), Error> {
        if self.is_connected() { Ok(()) } else { Err(fault("there is no connection to NATS now")) }
    }

    /// Waits for a future on the connection's threads. Adds the message of a server to an error.
    pub(crate) fn wait<T: Send + 'static>(
        &self,
        future: impl Future<Output = Result<T, Error>> + Send + 'static,
    ) -> Result<T, Error> {
        let client = self.client.clone();
        let answered = async move {
            let before = connections(&client);
            tokio::select! {
                answer = future => answer,
                // Requests through a lost connection get no answer.
                () = async { reconnected(&client, before).await; sleep(LATE).await } => {
                    Err(fault("the connection to NATS was lost meanwhile"))
                }
            }
        };
        wait(&self.handle, answered).map_err(|error| self.noticed(error))
    }
}

/// The last message of a subject, from the leader of the stream.
pub(crate) async fn last(stream: &Stream, subject: &str) -> Result<Option<StreamMessage>, Error> {
    match stream.get_last_raw_message_by_subject(subject).await {
        Ok(message) => Ok(Some(message)),
        Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
        Err(error) => Err(failed("a stream cannot be read", error)),
    }
}

/// The operation on a key of a bucket, from its message.
pub(crate) fn operation(message: &StreamMessage) -> kv::Operation {
    let named = message.headers.get("KV-Operation").and_then(|value| value.as_str().parse().ok());
    named.unwrap_or(kv::Operation::Put)
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, id, .. } = self;
        f.debug_struct("Cluster").field("name", name).field("id", id).finish_non_exhaustive()
    }
}

/// Servers do not answer requests without permission. The last message of a server then has the reason.
pub(crate) fn with_notice(error: Error, notices: &Notices, patience: Duration) -> Error {
    let notice = notices.within(patience + Duration::from_secs(1));
    match notice.filter(|_| error.code() == codes::CLUSTER_FAULT) {
        Some(notice) => fault(format!("{} (message of a server: {notice})", error.message())),
        None => error,
    }
}

/// The last message of a server that does not answer a request. A request without permission gets only such a message.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notices(Arc<Mutex<Option<(Instant, String)>>>);

impl Notices {
    pub(crate) fn receive(&self, event: &Event) {
        let text = match event {
            Event::ServerError(ServerError::Other(text)) => text.clone(),
            Event::ServerError(ServerError::AuthorizationViolation) => "not authorized".to_owned(),
            Event::ClientError(ClientError::Other(text)) => text.clone(),
            _ => return,
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), text));
    }

    pub(crate) fn within(&self, time: Duration) -> Option<String> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().filter(|(at, _)| at.elapsed() <= time).map(|(_, text)| text.clone())
    }
}

/// The threads of a connection. Dropping them does not wait: the last clone of a cluster may be dropped in a task, where waiting
/// panics.
#[derive(Debug)]
pub(crate) struct Threads(Option<Runtime>);

impl Threads {
    pub(crate) fn start() -> Result<(Self, Handle), Error> {
        let runtime =
            Builder::new_multi_thread().worker_threads(2).thread_name("adjudicate-nats").enable_all().build();
        let runtime = runtime.map_err(|error| {
            Error::caused_by(codes::HOST_FAULT, "no threads can be started for NATS", error)
        })?;
        let handle = runtime.handle().clone();
        Ok((Self(Some(runtime)), handle))
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Waits on this thread for a future on those threads.
pub(crate) fn wait<T: Send + 'static>(
    handle: &Handle,
    future: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> Result<T, Error> {
    let (sender, receiver) = mpsc::sync_channel(1);
    handle.spawn(async move {
        // The receiver may be gone.
        let _ = sender.send(future.await);
    });
    receiver.recv().unwrap_or_else(|_| Err(fault("the connection to NATS was closed")))
}
