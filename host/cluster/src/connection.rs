//! The connection from the view of this crate: requests with a deadline, and reading streams and entries.

use std::{fmt, future::Future, sync::atomic::Ordering, time::Duration};

use adjudicate_core::Error;
use adjudicate_host::{SlotEntry, codes};
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
    fault::{failed, fault},
    notices::Notices,
    slot_entry,
    threads::{Threads, wait},
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
    /// Stopped when the last clone is dropped.
    pub(crate) _threads: Threads,
    pub(crate) handle: Handle,
}

/// The value under a slot's key: a valid entry or an error.
pub(crate) struct SlotValue {
    pub(crate) revision: u64,
    pub(crate) entry: Result<SlotEntry, Error>,
}

/// The parts for watching the bucket of slots, without the connection's threads.
pub(crate) struct BucketWatch {
    pub(crate) slots: kv::Store,
    pub(crate) patience: Duration,
    client: Client,
}

impl BucketWatch {
    /// The number of connections so far.
    pub(crate) fn connections(&self) -> u64 {
        connections(&self.client)
    }

    /// Waits for a new connection, compared with this number.
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
    pub(crate) fn watched(&self) -> BucketWatch {
        BucketWatch { slots: self.slots.clone(), patience: self.patience, client: self.client.clone() }
    }

    /// The number of connections so far.
    pub(crate) fn connections(&self) -> u64 {
        connections(&self.client)
    }

    pub(crate) const fn handle(&self) -> &Handle {
        &self.handle
    }

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
