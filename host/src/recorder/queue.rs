//! What waits to be written: bounded for each slot, and never dropped.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Condvar, Mutex, MutexGuard, PoisonError, mpsc::SyncSender},
    time::{Duration, Instant},
};

use adjudicate_core::Error;

use super::unwritten::{Trial, Unwritten};
use crate::{codes, record::Draft};

/// How many bytes of a slot may wait; one record always may.
const MOST_BYTES: usize = 64 << 20;

/// How many records are written at once, and how many bytes: so that nobody waits long for the first of them.
const BATCH: usize = 1024;
const BATCH_BYTES: usize = 16 << 20;

/// How long after a failure what is left is tried again.
const RETRY: Duration = Duration::from_millis(200);

/// How often what is left is tried once nothing more can come.
const LAST_TRIES: u32 = 5;

/// A record that is to be written, and who waits for that.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) draft: Draft,
    pub(super) waits: Option<SyncSender<Result<i64, Error>>>,
}

/// What is to be done.
#[derive(Debug)]
pub(super) enum Work {
    /// Records are to be written.
    Write(Vec<Job>),
    /// It is to be found out whether records could be written that could not.
    Try(Trial),
}

#[derive(Debug, Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    /// There is something to write, or nothing will come any more.
    work: Condvar,
    /// There is room, or there will be none.
    room: Condvar,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Job>,
    /// What is waiting or being written, by slot.
    lanes: BTreeMap<String, Lane>,
    /// When to try again what could not be written.
    retry: Option<Instant>,
    unwritten: Unwritten,
    is_closing: bool,
    tries: u32,
    has_ended: bool,
}

#[derive(Debug, Default)]
struct Lane {
    count: usize,
    bytes: usize,
    /// Why records that callers were told would be written are not written yet.
    broken: Option<Error>,
}

impl Queue {
    /// Waits for room, and adds a record. Refused when the writer is gone, or cannot write what it promised already.
    pub(super) fn push(&self, job: Job, most: usize) -> Result<(), Error> {
        let bytes = job.draft.len();
        let mut state = self.lock();
        loop {
            if state.is_closing || state.has_ended {
                return Err(ended());
            }
            let Some(lane) = state.lanes.get(&job.draft.slot) else { break };
            let has_room = lane.count < most && (lane.bytes + bytes <= MOST_BYTES || lane.count == 0);
            match &lane.broken {
                // Who waits for the disk learns from the disk; who does not must not be told what may not come true.
                Some(error) if job.waits.is_none() || !has_room => return Err(error.clone()),
                _ if has_room => break,
                _ => state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
        let lane = state.lanes.entry(job.draft.slot.clone()).or_default();
        (lane.count, lane.bytes) = (lane.count + 1, lane.bytes + bytes);
        state.waiting.push_back(job);
        self.work.notify_one();
        Ok(())
    }

    /// Waits for something to do: records, as many as are written at once. `None` when there is nothing more to do.
    pub(super) fn take(&self) -> Option<Work> {
        let mut state = self.lock();
        loop {
            let now = Instant::now();
            if state.is_done() {
                return None;
            }
            if let Some(trial) = state.trial(now) {
                return Some(Work::Try(trial));
            }
            if state.has_work(now) {
                return Some(Work::Write(state.batch()));
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

    /// What came of a trial.
    pub(super) fn tried(&self, trial: &Trial, outcome: Result<(), Error>) {
        self.lock().unwritten.tried(trial, outcome);
    }

    /// Notes that no record of a slot came as far as the writer.
    pub(super) fn note(&self, slot: &str, error: &Error) {
        let mut state = self.lock();
        // Whoever closes wants no more records.
        if !state.is_closing {
            state.unwritten.fail(slot, error, 0);
            self.work.notify_one();
        }
    }

    /// Why records cannot be written, by slot.
    pub(super) fn unwritten(&self) -> BTreeMap<String, Error> {
        self.lock().unwritten.errors()
    }

    /// Why those of one slot cannot.
    pub(super) fn why_unwritten(&self, slot: &str) -> Option<Error> {
        self.lock().unwritten.error(slot)
    }

    /// Whether there are such slots, and they are to be tried again.
    pub(super) fn is_in_trouble(&self) -> bool {
        let state = self.lock();
        !state.is_closing && !state.unwritten.is_empty()
    }

    /// What became of the records of one slot.
    pub(super) fn settle(&self, jobs: Vec<Job>, written: Result<Vec<i64>, Error>) {
        let mut state = self.lock();
        if let Some(Job { draft, .. }) = jobs.first() {
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
                    // Who waited may have gone away.
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
        self.room.notify_all();
    }

    /// How many records are waiting or being written.
    pub(super) fn len(&self) -> usize {
        self.lock().lanes.values().map(|lane| lane.count).sum()
    }

    /// Lets nothing more in; what is there is still written.
    pub(super) fn close(&self) {
        self.lock().is_closing = true;
        self.work.notify_all();
        self.room.notify_all();
    }

    /// The writer is gone: whoever waits for it waits no longer.
    pub(super) fn end(&self) {
        let mut state = self.lock();
        state.has_ended = true;
        // With the jobs go the ends of their callers' channels. What is left was promised, and is counted.
        let (gone, left) = state.waiting.drain(..).partition::<VecDeque<_>, _>(|job| job.waits.is_some());
        gone.iter().for_each(|job| state.leave(job));
        state.waiting = left;
        self.room.notify_all();
    }

    /// A queue is whole between any two of its changes.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whether there is nothing more to do: nothing can come, and what is left was tried often enough.
    fn is_done(&self) -> bool {
        let is_given_up = self.retry.is_some() && self.tries >= LAST_TRIES;
        self.is_closing && (self.waiting.is_empty() || is_given_up)
    }

    /// What is to be tried; that costs whoever waits a moment now and then. Records that callers were told would be written are tried
    /// themselves, and whatever room there is is for them.
    fn trial(&mut self, now: Instant) -> Option<Trial> {
        let Self { lanes, unwritten, is_closing, .. } = self;
        let applies = |slot: &str| lanes.get(slot).is_none_or(|lane| lane.broken.is_none());
        if *is_closing { None } else { unwritten.due(now, applies) }
    }

    fn has_work(&self, now: Instant) -> bool {
        // Whoever waits for an answer is reason enough to try at once.
        let is_time =
            self.retry.is_none_or(|at| at <= now) || self.waiting.iter().any(|job| job.waits.is_some());
        is_time && !self.waiting.is_empty()
    }

    /// When there is something to do, if nobody says so before.
    fn wakes(&self) -> Option<Instant> {
        let retry = self.retry.filter(|_| !self.waiting.is_empty());
        let trial = self.unwritten.at().filter(|_| !self.is_closing);
        retry.into_iter().chain(trial).min()
    }

    /// As many records as are written at once.
    fn batch(&mut self) -> Vec<Job> {
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

    /// A record is no longer waiting.
    fn leave(&mut self, job: &Job) {
        let slot = &job.draft.slot;
        let Some(lane) = self.lanes.get_mut(slot) else { return };
        lane.count = lane.count.saturating_sub(1);
        lane.bytes = lane.bytes.saturating_sub(job.draft.len());
        lane.broken = None;
        if lane.count == 0 {
            self.lanes.remove(slot);
        }
    }

    /// What was promised is kept, in its order, and tried again.
    fn keep(&mut self, left: Vec<Job>, error: &Error) {
        let Some(first) = left.first() else { return };
        if let Some(lane) = self.lanes.get_mut(&first.draft.slot) {
            lane.broken = Some(error.clone());
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
