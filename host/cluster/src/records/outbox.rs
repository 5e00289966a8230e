//! The records of one slot that are not in the stream yet.

use adjudicate_core::Error;
use adjudicate_host::{Link, Record, RecordRange, Store, codes};
use async_nats::{HeaderMap, jetstream::context::PublishErrorKind};

use super::{last_record, subject};
use crate::{
    cluster::Cluster,
    connection::last,
    fault::{failed, fault},
};

/// The size up to which records are joined into one message, in bytes, if the servers accept it.
const MESSAGE: usize = 256 << 10;
/// Space for the subject and the headers.
const AROUND: usize = 1 << 10;

/// The end of the stream.
#[derive(Clone, Copy, Debug)]
struct Position {
    /// The last record in the stream.
    link: Link,
    /// The number of its message; 0 for an empty stream.
    message: u64,
}

/// The unsent records of a slot.
#[derive(Debug)]
pub(super) struct Outbox {
    slot: String,
    subject: String,
    host: String,
    /// Read from the stream. Forgotten after each failure.
    position: Option<Position>,
}

#[derive(Debug, Default)]
struct Batch {
    text: String,
    first: i64,
    last: Option<Link>,
}

impl Outbox {
    pub(super) fn new(cluster: &str, host: &str, slot: &str) -> Result<Self, Error> {
        let subject = subject(cluster, host, slot)?;
        Ok(Self { slot: slot.to_owned(), subject, host: host.to_owned(), position: None })
    }

    /// The number of records that are not confirmed in the stream.
    pub(super) fn waiting(&self, store: &Store) -> Result<u64, Error> {
        let head = store.record_head(&self.slot)?.map_or(0, |link| link.sequence);
        let sent = self.position.map_or(0, |position| position.link.sequence);
        Ok(u64::try_from(head - sent).unwrap_or_default())
    }

    /// Forgets the end of the stream. After a reconnect it is read again.
    pub(super) fn forget(&mut self) {
        self.position = None;
    }

    /// Sends some of the waiting records. Returns false if all records are in the stream.
    pub(super) fn step(&mut self, cluster: &Cluster, store: &Store) -> Result<bool, Error> {
        let position = match self.position {
            Some(position) => position,
            None => self.locate(cluster, store)?,
        };
        self.position = Some(position);
        let head = store.record_head(&self.slot)?.unwrap_or(Link::START);
        if head.sequence <= position.link.sequence {
            return Ok(false);
        }
        let batch = self.gather(cluster, store, position.link.sequence)?;
        // After a failure the stream is read again to find out the result.
        self.position = None;
        self.position = Some(self.send(cluster, batch, position)?);
        Ok(true)
    }

    /// Reads the last record from the stream and finds it in the store.
    fn locate(&self, cluster: &Cluster, store: &Store) -> Result<Position, Error> {
        let (stream, subject) = (cluster.inner.records.clone(), self.subject.clone());
        let message = cluster.inner.wait(async move { last(&stream, &subject).await })?;
        let Some(message) = message else { return Ok(Position { link: Link::START, message: 0 }) };
        let record = last_record(&message.payload, &self.subject)?;
        let (sequence, found) = (record.sequence, record.hash);
        let here = hash(store, &self.slot, sequence)?;
        match (here, found) {
            (Some(here), Some(found)) if here.hash == found => {
                Ok(Position { link: here, message: message.sequence })
            }
            (None, _) => Err(broken(format!(
                "the stream has record {sequence} of this host, and its store does not: an earlier copy of the store was restored"
            ))),
            _ => Err(broken(format!(
                "record {sequence} of this host differs between the stream and its store: two stores have the id of this host"
            ))),
        }
    }

    /// Collects the next records for one message.
    fn gather(&self, cluster: &Cluster, store: &Store, after: i64) -> Result<Batch, Error> {
        let most = cluster.max_payload().saturating_sub(AROUND);
        let mut batch = Batch::default();
        let gathered =
            store.export_records(&self.slot, RecordRange { after, ..RecordRange::default() }, |line| {
                let sequence = batch.last.map_or(after, |link| link.sequence) + 1;
                let length = line.len() + 1;
                let is_full = !batch.text.is_empty() && batch.text.len() + length > MESSAGE.min(most);
                if is_full {
                    return Err(BatchEnd::Full);
                }
                if length > most {
                    return Err(BatchEnd::TooLong(sequence, length));
                }
                let hash = Record::parse(line.as_bytes())?.hash;
                let hash = hash.ok_or_else(|| fault("a record of the store has no hash"))?;
                if batch.text.is_empty() {
                    batch.first = sequence;
                }
                batch.text.push_str(line);
                batch.text.push('\n');
                batch.last = Some(Link { sequence, hash });
                Ok(())
            });
        match gathered {
            // A record that is too large is reported after those before it are sent.
            Ok(()) | Err(BatchEnd::Full) => Ok(batch),
            Err(BatchEnd::TooLong(..)) if batch.last.is_some() => Ok(batch),
            Err(BatchEnd::TooLong(sequence, length)) => {
                let message = format!(
                    "record {sequence} has {length} bytes, but messages have at most {}: no further records of this slot are sent \
                     until `max_payload` of the servers is raised",
                    cluster.max_payload()
                );
                Err(Error::new(codes::LIMIT_EXCEEDED, message))
            }
            Err(BatchEnd::Failed(error)) => Err(error),
        }
    }

    /// Sends a message and waits for its acknowledgment.
    fn send(&self, cluster: &Cluster, batch: Batch, behind: Position) -> Result<Position, Error> {
        let Batch { text, first, last } = batch;
        let link = last.ok_or_else(|| fault("there are no records to send"))?;
        let mut headers = HeaderMap::new();
        headers.insert("Nats-Msg-Id", format!("{}:{}:{first}-{}", self.host, self.slot, link.sequence));
        headers.insert("Nats-Expected-Last-Subject-Sequence", behind.message.to_string());
        cluster.inner.require_connection()?;
        let (jetstream, subject) = (cluster.jetstream(), self.subject.clone());
        let acknowledged = cluster.inner.wait(async move {
            let refused = |error: async_nats::jetstream::context::PublishError| match error.kind() {
                PublishErrorKind::WrongLastSequence => {
                    let message = "the stream has newer messages: an earlier message may have arrived late";
                    fault(message).with_source(error)
                }
                _ => failed("decision records cannot be put into the stream", error),
            };
            let sent =
                jetstream.publish_with_headers(subject, headers, text.into()).await.map_err(refused)?;
            sent.await.map_err(refused)
        })?;
        // The message was stored before. The stream is read again to find out whether it still is.
        if acknowledged.duplicate {
            return Err(fault("the stream already had these records"));
        }
        Ok(Position { link, message: acknowledged.sequence })
    }
}

enum BatchEnd {
    Full,
    TooLong(i64, usize),
    Failed(Error),
}

impl From<Error> for BatchEnd {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

fn broken(message: String) -> Error {
    Error::new(codes::BROKEN_CHAIN, message)
}

/// The position of a record in the store, by its number.
fn hash(store: &Store, slot: &str, sequence: i64) -> Result<Option<Link>, Error> {
    let mut found = None;
    let range = RecordRange { after: sequence.saturating_sub(1), ..RecordRange::default() };
    let read = store.export_records(slot, range, |line| {
        found = Record::parse(line.as_bytes())?.hash;
        Err(BatchEnd::Full)
    });
    match read {
        Err(BatchEnd::Failed(error)) => Err(error),
        _ => Ok(found.map(|hash| Link { sequence, hash })),
    }
}
