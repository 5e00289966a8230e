//! The recorder: many callers queue decision records, and one thread writes them, many in one transaction.

mod queue;
mod unwritten;

use std::{
    collections::BTreeMap,
    fmt,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        mpsc::{self, Receiver},
    },
    thread::{self, JoinHandle},
};

use adjudicate_core::Error;
use adjudicate_trust::counted;

use self::queue::{Queue, QueuedRecord, WriterTask, ended};
use crate::{
    codes,
    record::{Acknowledge, CallObservation, UnchainedRecord},
    store::Store,
};

/// Keeps decision records in a store. Cheap to clone; all clones are the same recorder. When the last clone is dropped, the
/// recorder first writes the queued records.
///
/// ```
/// use adjudicate_core::Operation;
/// use adjudicate_host::{CallObservation, DecidedBy, RecordSettings, Recorder, Store};
/// # let directory = tempfile::tempdir().unwrap();
/// let store = Store::open(&directory.path().join("store"))?;
/// let recorder = Recorder::new(store.clone());
/// let sequence = recorder.record(&CallObservation {
///     slot: "release",
///     settings: &RecordSettings::default(),
///     at: 1_700_000_000_000,
///     operation: Operation::Evaluate,
///     input: b"{}",
///     outcome: Ok(r#"{"decision":{"status":"success"}}"#),
///     by: DecidedBy::Active,
///     entry: 1,
///     modules: &[],
///     fault: None,
///     microseconds: 20,
/// })?;
/// assert_eq!(sequence, Some(1));
/// assert_eq!(store.verify_records("release", &[])?.1, 1);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Recorder {
    writer: Arc<Writer>,
}

struct Writer {
    store: Store,
    queue: Arc<Queue>,
    /// Started with the first record, because most hosts keep no records.
    thread: Mutex<Option<JoinHandle<()>>>,
    key: OnceLock<[u8; 32]>,
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("store", &self.writer.store).finish_non_exhaustive()
    }
}

impl Recorder {
    /// Returns a recorder that writes to this store.
    #[must_use]
    pub fn new(store: Store) -> Self {
        let writer = Writer { store, queue: Arc::default(), thread: Mutex::new(None), key: OnceLock::new() };
        Self { writer: Arc::new(writer) }
    }

    /// Records a call. If the slot's settings ask to wait for the disk (`acknowledge: durable`), returns the number of the record
    /// in the slot's chain; otherwise queues the record and returns `None`.
    ///
    /// After an error there may be no record. If the call must be on record, do not return its answer.
    ///
    /// # Errors
    ///
    /// [`codes::STORE_FAULT`] if the record or records that are already queued cannot be written; [`codes::HOST_FAULT`] if no
    /// thread can be started.
    pub fn record(&self, call: &CallObservation<'_>) -> Result<Option<i64>, Error> {
        let handed_over = self.hand_over(call);
        match handed_over.inspect_err(|error| self.writer.queue.note(call.slot, error))? {
            None => Ok(None),
            Some(written) => written.recv().unwrap_or_else(|_| Err(ended())).map(Some),
        }
    }

    /// Queues a record. Returns the channel for its number if the caller waits for the disk.
    fn hand_over(&self, call: &CallObservation<'_>) -> Result<Option<Receiver<Result<i64, Error>>>, Error> {
        let draft = UnchainedRecord::new(call, || self.writer.key())?;
        self.writer.start()?;
        let most = usize::try_from(call.settings.queue).unwrap_or(usize::MAX);
        let is_durable = call.settings.acknowledge == Acknowledge::Durable;
        let (waits, written) = is_durable.then(|| mpsc::sync_channel(1)).unzip();
        self.writer.queue.push(QueuedRecord { draft, waits }, most)?;
        Ok(written)
    }

    /// Returns the slots whose records could not be written in the latest attempt, each with its error. About once a second the
    /// recorder tries one of them: it writes bytes that it removes in the same transaction. So a slot leaves the list soon after
    /// its records can be written again, even without calls.
    #[must_use]
    pub fn unwritten(&self) -> BTreeMap<String, Error> {
        self.writer.queue.lock().unwritten.errors()
    }

    /// Returns the error of a slot whose records cannot be written.
    pub(crate) fn why_unwritten(&self, slot: &str) -> Option<Error> {
        self.writer.queue.lock().unwritten.error(slot)
    }

    /// Starts the writer if it could not be started for a call.
    pub(crate) fn retry(&self) {
        if self.writer.queue.is_in_trouble() {
            // After a failure the next call of this function tries again.
            let _ = self.writer.start();
        }
    }

    /// Returns the number of records that wait to be written.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.writer.queue.len()
    }

    /// Writes the queued records and closes the recorder. After that, the recorder and its clones reject further records.
    ///
    /// # Errors
    ///
    /// [`codes::STORE_FAULT`], with the number of queued records that could not be written.
    pub fn close(&self) -> Result<(), Error> {
        self.writer.close();
        match self.waiting() {
            0 => Ok(()),
            lost => {
                let message =
                    format!("{} that had been queued could not be written", counted(lost, "decision record"));
                Err(Error::new(codes::STORE_FAULT, message))
            }
        }
    }
}

impl Writer {
    fn key(&self) -> Result<[u8; 32], Error> {
        if let Some(key) = self.key.get() {
            return Ok(*key);
        }
        let key = self.store.record_key()?;
        Ok(*self.key.get_or_init(|| key))
    }

    fn start(&self) -> Result<(), Error> {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_some() {
            return Ok(());
        }
        let (store, queue) = (self.store.clone(), Arc::clone(&self.queue));
        let started = thread::Builder::new().name("adjudicate-records".to_owned()).spawn(move || {
            let queue = EndOnDrop(&queue);
            while let Some(work) = queue.0.take() {
                match work {
                    WriterTask::Write(jobs) => write(&store, queue.0, jobs),
                    WriterTask::Try(trial) => {
                        let outcome = store.try_record(&trial.slot, trial.bytes);
                        queue.0.lock().unwritten.tried(&trial, outcome);
                    }
                }
            }
        });
        let started = started.map_err(|error| {
            Error::caused_by(codes::HOST_FAULT, "no thread can be started to write records", error)
        })?;
        *thread = Some(started);
        Ok(())
    }

    fn close(&self) {
        self.queue.close();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            // If it panicked, `close` counts the records that it left.
            let _ = thread.join();
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.close();
    }
}

/// Ends the queue when the writer ends, even by a panic, so that no caller waits for it.
struct EndOnDrop<'q>(&'q Queue);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// Writes records in one transaction. If that fails, writes the records of each slot in a transaction of their own, so that a
/// broken chain does not block other chains.
fn write(store: &Store, queue: &Queue, jobs: Vec<QueuedRecord>) {
    let mut slots: BTreeMap<String, Vec<QueuedRecord>> = BTreeMap::new();
    for job in jobs {
        slots.entry(job.draft.slot.clone()).or_default().push(job);
    }
    let mut written = append(store, slots.values().flatten()).map(Vec::into_iter);
    let is_one = slots.len() == 1;
    for jobs in slots.into_values() {
        let sequences = match &mut written {
            Ok(written) => Ok(written.by_ref().take(jobs.len()).collect()),
            Err(error) if is_one => Err(error.clone()),
            Err(_) => append(store, jobs.iter()),
        };
        queue.settle(jobs, sequences);
    }
}

fn append<'j>(store: &Store, jobs: impl Iterator<Item = &'j QueuedRecord>) -> Result<Vec<i64>, Error> {
    store.append_records(jobs.map(|job| &job.draft))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn starting_the_writer_is_retried() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(&directory.path().join("store")).unwrap();
        let no_thread = Error::new(codes::HOST_FAULT, "no thread");
        let is_started = |recorder: &Recorder| recorder.writer.thread.lock().unwrap().is_some();
        let closed = Recorder::new(store.clone());
        closed.writer.queue.note("release", &no_thread);
        closed.close().unwrap();
        closed.retry();
        assert!(!is_started(&closed), "a closed recorder starts no writer");
        let recorder = Recorder::new(store);
        recorder.retry();
        assert!(!is_started(&recorder), "without a problem, no writer is started");
        recorder.writer.queue.note("release", &no_thread);
        assert_eq!(recorder.unwritten().len(), 1);
        recorder.retry();
        assert!(is_started(&recorder));
        for _ in 0..600 {
            if recorder.unwritten().is_empty() {
                return;
            }
            thread::sleep(Duration::from_millis(100));
        }
        panic!("it is not tried");
    }
}
