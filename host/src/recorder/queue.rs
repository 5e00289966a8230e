//! The queue of records to write. It is bounded for each slot, and drops no record.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc::SyncSender},
    time::{Duration, Instant},
};

use adjudicate_core::Error;

use super::unwritten::{Trial, Unwritten};
use crate::{codes, record::UnchainedRecord};

/// The most bytes of a slot that may wait. One record may always wait.
const MOST_BYTES: usize = 64 << 20;

/// The most records and bytes of one transaction, so that no caller waits long for the first record.
const BATCH: usize = 1024;
const BATCH_BYTES: usize = 16 << 20;

/// The time from a failure to the next attempt to write queued records.
const RETRY: Duration = Duration::from_millis(200);

/// The number of attempts after the recorder was closed.
const LAST_TRIES: u32 = 5;

/// A record to write, and the channel of the caller if it waits for the disk.
#[derive(Debug)]
pub(super) struct QueuedRecord {
    pub(super) draft: UnchainedRecord,
    pub(super) waits: Option<SyncSender<Result<i64, Error>>>,
}

/// The next work of the writer.
#[derive(Debug)]
pub(super) enum WriterTask {
    Write(Vec<QueuedRecord>),
    /// Test whether the records of a slot can be written again.
    Try(Trial),
}

#[derive(Debug, Default)]
pub(super) struct Queue {
    state: Mutex<QueueState>,
    /// Notified when there is work, and when the queue is closed.
    work: Condvar,
    /// Notified when there may be room, and when the queue is closed or the writer has ended.
    not_full: Condvar,
}

#[derive(Debug, Default)]
pub(super) struct QueueState {
    waiting: VecDeque<QueuedRecord>,
    /// The records that wait or are being written, by slot.
    queues: BTreeMap<String, SlotQueue>,
    /// The time of the next attempt to write records that could not be written.
    retry: Option<Instant>,
    pub(super) unwritten: Unwritten,
    is_closing: bool,
    tries: u32,
    has_ended: bool,
}

#[derive(Debug, Default)]
struct SlotQueue {
    count: usize,
    bytes: usize,
    /// The error of acknowledged records that are not written yet.
    broken: Option<Error>,
}

impl Queue {
    /// Waits for space in the queue and adds a record. Rejects it if the writer has ended or cannot write acknowledged records.
    pub(super) fn push(&self, job: QueuedRecord, most: usize) -> Result<(), Error> {
        let bytes = job.draft.len();
        let mut state = self.lock();
        loop {
            if state.is_closing || state.has_ended {
                return Err(ended());
            }
            let Some(queue) = state.queues.get(&job.draft.slot) else { break };
            let has_room = queue.count < most && (queue.bytes + bytes <= MOST_BYTES || queue.count == 0);
            match &queue.broken {
                // A caller that waits for the disk gets the error of the disk. Another one must get no acknowledgement now.
                Some(error) if job.waits.is_none() || !has_room => return Err(error.clone()),
                _ if has_room => break,
                _ => state = self.not_full.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
        let queue = state.queues.entry(job.draft.slot.clone()).or_default();
        (queue.count, queue.bytes) = (queue.count + 1, queue.bytes + bytes);
        state.waiting.push_back(job);
        self.work.notify_one();
        Ok(())
    }

    /// Waits for work: a batch of records, or a trial. `None` when the queue is closed and empty, or given up.
    pub(super) fn take(&self) -> Option<WriterTask> {
        let mut state = self.lock();
        loop {
            let now = Instant::now();
            if state.is_done() {
                return None;
            }
            if let Some(trial) = state.trial(now) {
                return Some(WriterTask::Try(trial));
            }
            if state.has_work(now) {
                return Some(WriterTask::Write(state.batch()));
            }
            state = match state.wakes() {
                Some(at) => {
                    let waited = self.work.wait_timeout(state, at.saturating_duration_since(now));
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.work.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Notes an error that kept a record of a slot out of the queue.
    pub(super) fn note(&self, slot: &str, error: &Error) {
        let mut state = self.lock();
        // A closed queue takes no more records, so there is nothing to try again.
        if !state.is_closing {
            state.unwritten.fail(slot, error, 0);
            self.work.notify_one();
        }
    }

    /// Returns whether there are such slots, and the writer should try them again.
    pub(super) fn is_in_trouble(&self) -> bool {
        let state = self.lock();
        !state.is_closing && !state.unwritten.is_empty()
    }

    /// Reports the outcome for the records of one slot to their callers, or keeps the records for another attempt.
    pub(super) fn settle(&self, jobs: Vec<QueuedRecord>, written: Result<Vec<i64>, Error>) {
        let mut state = self.lock();
        if let Some(QueuedRecord { draft, .. }) = jobs.first() {
            let bytes = || jobs.iter().map(|job| job.draft.len()).max().unwrap_or_default();
            match &written {
                Ok(_) => state.unwritten.succeed(&draft.slot),
                Err(error) => state.unwritten.fail(&draft.slot, error, bytes()),
            }
        }
        match written {
            Ok(sequences) => {
                for (job, sequence) in jobs.into_iter().zip(sequences) {
                    state.leave(&job);
                    // The caller may have gone away.
                    job.waits.map(|waits| waits.send(Ok(sequence)));
                }
                (state.retry, state.tries) = (None, 0);
            }
            Err(error) => {
                let mut left = Vec::new();
                for job in jobs {
                    match &job.waits {
                        Some(waits) => {
                            state.leave(&job);
                            let _ = waits.send(Err(error.clone()));
                        }
                        None => left.push(job),
                    }
                }
                state.keep(left, &error);
            }
        }
        self.not_full.notify_all();
    }

    /// Returns the number of records that wait or are being written.
    pub(super) fn len(&self) -> usize {
        self.lock().queues.values().map(|queue| queue.count).sum()
    }

    /// Rejects further records. The writer still writes the queued ones.
    pub(super) fn close(&self) {
        self.lock().is_closing = true;
        self.work.notify_all();
        self.not_full.notify_all();
    }

    /// Marks the writer as ended, and ends the waiting of all callers.
    pub(super) fn end(&self) {
        let mut state = self.lock();
        state.has_ended = true;
        // To drop a job closes the channel of its caller. The other records were acknowledged: they stay, and are counted.
        let (gone, left) = state.waiting.drain(..).partition::<VecDeque<_>, _>(|job| job.waits.is_some());
        gone.iter().for_each(|job| state.leave(job));
        state.waiting = left;
        self.not_full.notify_all();
    }

    /// Locks, even if a thread panicked that held the lock: the state is consistent between any two changes.
    pub(super) fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueState {
    /// Returns whether the queue is closed and its records are written or given up.
    fn is_done(&self) -> bool {
        let is_given_up = self.retry.is_some() && self.tries >= LAST_TRIES;
        self.is_closing && (self.waiting.is_empty() || is_given_up)
    }

    /// Returns the trial that is due. Slots with acknowledged records get no trial: the records themselves are tried, and free
    /// space on the disk is for them.
    fn trial(&mut self, now: Instant) -> Option<Trial> {
        let Self { queues, unwritten, is_closing, .. } = self;
        let applies = |slot: &str| queues.get(slot).is_none_or(|queue| queue.broken.is_none());
        if *is_closing { None } else { unwritten.due(now, applies) }
    }

    fn has_work(&self, now: Instant) -> bool {
        // If a caller waits for the disk, try at once.
        let is_time =
            self.retry.is_none_or(|at| at <= now) || self.waiting.iter().any(|job| job.waits.is_some());
        is_time && !self.waiting.is_empty()
    }

    /// Returns the time of the next work without a notification.
    fn wakes(&self) -> Option<Instant> {
        let retry = self.retry.filter(|_| !self.waiting.is_empty());
        let trial = self.unwritten.at().filter(|_| !self.is_closing);
        retry.into_iter().chain(trial).min()
    }

    /// Takes the records for one transaction.
    fn batch(&mut self) -> Vec<QueuedRecord> {
        let mut bytes = 0;
        let mut count = 0;
        for job in self.waiting.iter().take(BATCH) {
            bytes += job.draft.len();
            if bytes > BATCH_BYTES && count > 0 {
                break;
            }
            count += 1;
        }
        self.waiting.drain(..count).collect()
    }

    /// Removes a record from the counts of its slot.
    fn leave(&mut self, job: &QueuedRecord) {
        let slot = &job.draft.slot;
        let Some(queue) = self.queues.get_mut(slot) else { return };
        queue.count = queue.count.saturating_sub(1);
        queue.bytes = queue.bytes.saturating_sub(job.draft.len());
        queue.broken = None;
        if queue.count == 0 {
            self.queues.remove(slot);
        }
    }

    /// Puts acknowledged records back in their order, for another attempt.
    fn keep(&mut self, left: Vec<QueuedRecord>, error: &Error) {
        let Some(first) = left.first() else { return };
        if let Some(queue) = self.queues.get_mut(&first.draft.slot) {
            queue.broken = Some(error.clone());
        }
        for job in left.into_iter().rev() {
            self.waiting.push_front(job);
        }
        (self.retry, self.tries) = (Some(Instant::now() + RETRY), self.tries + 1);
    }
}

pub(super) fn ended() -> Error {
    Error::new(codes::STORE_FAULT, "decision records are no longer written: the host is closing")
}
