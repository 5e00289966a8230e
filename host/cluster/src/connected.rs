//! A connection as the rest of this library uses it: what it is asked, how long an answer is waited for, and what is read.

use std::{fmt, future::Future, sync::atomic::Ordering, time::Duration};

use adjudicate_core::Error;
use adjudicate_host::{Entry, codes};
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

/// How often it is asked whether the connection is another one by now.
const LOOK: Duration = Duration::from_millis(250);
/// How long an answer is waited for once there is another connection: what was not sent yet goes through that one.
const LATE: Duration = Duration::from_secs(3);

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
    pub(crate) notices: Notices,
    /// Stopped with the last of all clones.
    pub(crate) _threads: Threads,
    pub(crate) handle: Handle,
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
        let subject = format!("{}{}", self.slots.prefix, slot_entry::key(slot)?);
        let stream = self.slots.stream.clone();
        let message = self.wait(async move { last(&stream, &subject).await })?;
        Ok(message.map(|message| {
            let entry = slot_entry::entry(slot, operation(&message), message.sequence, &message.payload);
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
pub(crate) fn with_notice(error: Error, notices: &Notices, patience: Duration) -> Error {
    let notice = notices.within(patience + Duration::from_secs(1));
    match notice.filter(|_| error.code() == codes::CLUSTER_FAULT) {
        Some(notice) => fault(format!("{} (a server said: {notice})", error.message())),
        None => error,
    }
}
