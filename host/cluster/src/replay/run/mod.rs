//! The command's state of a run: undecided jobs, known hosts, and errors. Has no I/O.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use adjudicate_core::Error;
use adjudicate_host::reevaluation::Outcome;
use adjudicate_sandbox::Digest;
use serde::Serialize;

use super::note::{Decided, Note, NoteKind};
use crate::fault::fault;

mod assignments;

use assignments::JobAssignments;
pub(super) use assignments::JobCases;

/// The number of hosts with counts of their own.
const MOST_HOSTS: usize = 4096;
/// The number of hosts that a message lists.
const MOST_NAMED: usize = 5;
/// Interval at which a waiting thread checks the time.
const TICK: Duration = Duration::from_millis(200);

/// Statistics of a run.
///
/// ```
/// use adjudicate_cluster::Replayed;
/// let replayed = Replayed { elsewhere: 90, here: 10, ..Replayed::default() };
/// assert_eq!(replayed.elsewhere + replayed.here, 100);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Replayed {
    /// The number of cases that hosts decided.
    pub elsewhere: u64,
    /// The number of cases left to the command, because they were too large for a message or were declined.
    pub here: u64,
    /// The number of repeated outcomes, because a job was delivered to several hosts. The first outcome counts.
    pub doubled: u64,
    /// The number of cases that each host decided first.
    pub hosts: BTreeMap<String, u64>,
    /// The number of invalid messages and invalid jobs.
    pub garbage: u64,
    /// The last reason of each host that declined a job.
    pub declined: BTreeMap<String, String>,
}

/// A run.
#[derive(Debug)]
pub(super) struct Run {
    state: Mutex<RunState>,
    changed: Condvar,
}

#[derive(Debug)]
struct RunState {
    /// The undecided jobs.
    jobs: BTreeMap<Digest, Pending>,
    /// The outcomes that were not taken yet.
    outcomes: Vec<(usize, Outcome)>,
    /// The time of the last note about an undecided job.
    last_seen: Instant,
    failed: Option<Error>,
    replayed: Replayed,
    /// The hosts that sent a note.
    hosts: BTreeSet<String>,
}

/// An undecided job, with the index of each undecided case; `None` for decided ones.
#[derive(Debug)]
struct Pending {
    cases: JobCases,
    places: Vec<Option<usize>>,
    left: usize,
    assignments: JobAssignments,
}

/// The answer to a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoteAnswer {
    /// The note was processed; continue.
    Confirmed,
    /// The outcome is no longer needed.
    Over,
}

impl Run {
    pub(super) fn new() -> Self {
        let state = RunState {
            jobs: BTreeMap::new(),
            outcomes: Vec::new(),
            last_seen: Instant::now(),
            failed: None,
            replayed: Replayed::default(),
            hosts: BTreeSet::new(),
        };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Adds jobs, each with its cases and their indexes. `here` is the number of cases in no job.
    pub(super) fn open(&self, jobs: impl Iterator<Item = (Digest, JobCases, Vec<usize>)>, here: usize) {
        let mut state = self.lock();
        let pending = |cases, places: Vec<usize>| Pending {
            cases,
            left: places.len(),
            places: places.into_iter().map(Some).collect(),
            assignments: JobAssignments::default(),
        };
        state.jobs.extend(jobs.map(|(job, cases, places)| (job, pending(cases, places))));
        state.replayed.here += here as u64;
        state.last_seen = Instant::now();
    }

    /// Processes a note of a host.
    pub(super) fn receive(&self, note: Note) -> NoteAnswer {
        let mut state = self.lock();
        let answer = state.receive(note);
        drop(state);
        self.changed.notify_all();
        answer
    }

    /// Counts an invalid message.
    pub(super) fn count_invalid(&self) {
        self.lock().replayed.garbage += 1;
    }

    /// Notes may have been lost, so silence about a job proves nothing.
    pub(super) fn notes_may_be_lost(&self) {
        self.lock().jobs.values_mut().for_each(|pending| pending.assignments.forget());
    }

    /// Ends the run with an error.
    pub(super) fn fail(&self, error: Error) {
        self.lock().failed.get_or_insert(error);
        self.changed.notify_all();
    }

    /// Waits until all jobs are decided, and passes each outcome with its index to `take`.
    ///
    /// # Errors
    ///
    /// The error of the run; [`cluster_fault`](adjudicate_host::codes::CLUSTER_FAULT) if no host responds for this time.
    pub(super) fn wait(
        &self,
        patience: Duration,
        is_connected: impl Fn() -> bool,
        take: &mut dyn FnMut(usize, Outcome),
    ) -> Result<(), Error> {
        let mut state = self.lock();
        loop {
            let outcomes = std::mem::take(&mut state.outcomes);
            if !outcomes.is_empty() {
                drop(state);
                outcomes.into_iter().for_each(|(place, outcome)| take(place, outcome));
                state = self.lock();
                continue;
            }
            if let Some(error) = &state.failed {
                return Err(error.clone());
            }
            if state.jobs.is_empty() {
                return Ok(());
            }
            if state.last_seen.elapsed() >= patience {
                return Err(state.no_host_responds(patience, is_connected()));
            }
            state = self.changed.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The statistics so far.
    pub(super) fn replayed(&self) -> Replayed {
        self.lock().replayed.clone()
    }

    /// The state is consistent between any two changes.
    fn lock(&self) -> MutexGuard<'_, RunState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunState {
    fn receive(&mut self, Note { host, said, .. }: Note) -> NoteAnswer {
        if self.hosts.len() < MOST_HOSTS {
            self.hosts.insert(host.clone());
        }
        match said {
            NoteKind::Taken { job } => self.assign(&host, job),
            NoteKind::Working { job } => match self.jobs.get_mut(&job) {
                Some(pending) => {
                    pending.assignments.receive();
                    self.last_seen = Instant::now();
                    NoteAnswer::Confirmed
                }
                None => NoteAnswer::Over,
            },
            NoteKind::Outcomes { job, outcomes } => self.decided(&host, job, outcomes),
            NoteKind::Declined { job, why, last } => {
                let error = why.error();
                if self.hosts.contains(&host) {
                    self.replayed.declined.insert(host.clone(), error.to_string());
                }
                self.declined(&host, job, last)
            }
            NoteKind::NoJob { .. } => {
                self.replayed.garbage += 1;
                NoteAnswer::Confirmed
            }
        }
    }

    /// Processes a host's claim of a job. A job that ended several hosts fails the run, because it would end this process, too.
    fn assign(&mut self, host: &str, job: Digest) -> NoteAnswer {
        let Some(pending) = self.jobs.get_mut(&job) else { return NoteAnswer::Over };
        if pending.assignments.are_lost() {
            let message = format!(
                "{}, without an outcome of these hosts: a case of it may end the process that decides it",
                self.lost()
            );
            self.failed.get_or_insert(fault(message));
            return NoteAnswer::Over;
        }
        pending.assignments.take(host);
        self.last_seen = Instant::now();
        NoteAnswer::Confirmed
    }

    /// Lists the jobs that were taken without an outcome, with their hosts. Jobs with the most lost hosts come first.
    fn lost(&self) -> String {
        let describe = |pending: &Pending| {
            Some((pending.assignments.count(), pending.cases, pending.assignments.describe()?))
        };
        let mut lost: Vec<_> = self.jobs.values().filter_map(describe).collect();
        lost.sort_by_key(|(count, cases, _)| (std::cmp::Reverse(*count), cases.job));
        let most = lost.first().map_or(0, |(count, ..)| *count);
        let named = lost.iter().take_while(|(count, ..)| *count == most).take(MOST_NAMED);
        let named: Vec<_> =
            named.map(|(_, cases, describe)| format!("{cases} was taken {describe}")).collect();
        named.join("; ")
    }

    fn decided(&mut self, host: &str, job: Digest, outcomes: Vec<Decided>) -> NoteAnswer {
        let Some(pending) = self.jobs.get_mut(&job) else {
            self.replayed.doubled += outcomes.len() as u64;
            return NoteAnswer::Over;
        };
        let mut first = 0;
        for Decided { case, outcome } in outcomes {
            let Some(place) = pending.places.get_mut(case) else {
                self.replayed.garbage += 1;
                continue;
            };
            let Some(place) = place.take() else {
                self.replayed.doubled += 1;
                continue;
            };
            pending.left -= 1;
            match outcome {
                Some(outcome) => {
                    first += 1;
                    self.outcomes.push((place, outcome));
                }
                None => self.replayed.here += 1,
            }
        }
        pending.assignments.receive();
        if pending.left == 0 {
            self.jobs.remove(&job);
        }
        self.last_seen = Instant::now();
        self.replayed.elsewhere += first;
        if self.hosts.contains(host) {
            *self.replayed.hosts.entry(host.to_owned()).or_default() += first;
        }
        NoteAnswer::Confirmed
    }

    /// Processes a declined job. After the last delivery the command decides it, if other hosts decide jobs or are deciding them.
    /// If all hosts decline, the run fails.
    fn declined(&mut self, host: &str, job: Digest, is_last: bool) -> NoteAnswer {
        let Some(pending) = self.jobs.get_mut(&job) else { return NoteAnswer::Over };
        pending.assignments.remove(host);
        if !is_last {
            return NoteAnswer::Confirmed;
        }
        let all_decline = self.hosts.iter().all(|host| self.replayed.declined.contains_key(host));
        if self.replayed.elsewhere == 0 && all_decline {
            let message = format!("no host decides this: {}", self.reasons());
            self.failed.get_or_insert(fault(message));
        } else if let Some(pending) = self.jobs.remove(&job) {
            self.replayed.here += pending.left as u64;
        }
        NoteAnswer::Confirmed
    }

    /// The error if no host responded for this time.
    fn no_host_responds(&self, patience: Duration, is_connected: bool) -> Error {
        let seconds = patience.as_secs();
        let jobs = self.jobs.len();
        let jobs = if jobs == 1 { "1 job is".to_owned() } else { format!("{jobs} jobs are") };
        let last_seen = match self.hosts.len() {
            0 => "no host responded; start one with `adjudicate serve --nats`".to_owned(),
            1 => "1 host responded before".to_owned(),
            hosts => format!("{hosts} hosts responded before"),
        };
        let connection = if is_connected { "" } else { ", and there is no connection to NATS now" };
        let declined = match self.replayed.declined.is_empty() {
            true => String::new(),
            false => format!("; {}", self.reasons()),
        };
        let lost = match self.lost() {
            none if none.is_empty() => none,
            lost => format!("; {lost}, without an outcome"),
        };
        fault(format!(
            "no host decided a case for {seconds} s and {jobs} undecided: {last_seen}{connection}{declined}{lost}"
        ))
    }

    fn reasons(&self) -> String {
        let declined = &self.replayed.declined;
        let named = declined.iter().take(MOST_NAMED).map(|(host, why)| format!("`{host}` declined: {why}"));
        let mut named: Vec<String> = named.collect();
        if let Some(more) = declined.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
            named.push(format!("{more} more declined"));
        }
        named.join("; ")
    }
}

#[cfg(test)]
mod tests;
