//! What a command knows of its run: which jobs are undecided, who was heard, and what went wrong. Speaks with nobody.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use adjudicate_core::Error;
use adjudicate_host::reevaluation::Outcome;
use adjudicate_sandbox::Digest;
use serde::Serialize;

use super::note::{Decided, Note, Said};
use crate::fault::fault;

mod takers;

pub(super) use takers::Cases;
use takers::Takers;

/// How many hosts are told apart; of more only the number of cases is known.
const MOST_HOSTS: usize = 4096;
/// How many hosts a message names.
const MOST_NAMED: usize = 5;
/// How often whoever waits looks at the time.
const TICK: Duration = Duration::from_millis(200);

/// What became of the cases of a run.
///
/// ```
/// use adjudicate_cluster::Replayed;
/// let replayed = Replayed { elsewhere: 90, here: 10, ..Replayed::default() };
/// assert_eq!(replayed.elsewhere + replayed.here, 100);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Replayed {
    /// How many cases hosts decided.
    pub elsewhere: u64,
    /// How many were given to no host, or given back: too large for a message, or nobody else would.
    pub here: u64,
    /// How many were decided more than once, because a job was given to another host. The first outcome counted.
    pub doubled: u64,
    /// How many cases each host decided first.
    pub hosts: BTreeMap<String, u64>,
    /// How many messages were none that a host sends, or no job.
    pub garbage: u64,
    /// Why hosts declined, by their name: the last reason of each.
    pub declined: BTreeMap<String, String>,
}

/// A run.
#[derive(Debug)]
pub(super) struct Run {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// The jobs that are not decided.
    jobs: BTreeMap<Digest, Pending>,
    /// What nobody has taken note of yet.
    outcomes: Vec<(usize, Outcome)>,
    /// When something was last heard of a job that is not decided.
    heard: Instant,
    failed: Option<Error>,
    replayed: Replayed,
    /// Everybody who said something.
    hosts: BTreeSet<String>,
}

/// A job that is not decided: where its cases belong, `None` for those that are decided.
#[derive(Debug)]
struct Pending {
    cases: Cases,
    places: Vec<Option<usize>>,
    left: usize,
    takers: Takers,
}

/// What to answer to a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Go on; it was taken note of.
    Confirmed,
    /// Nobody waits for that any more.
    Over,
}

impl Run {
    pub(super) fn new() -> Self {
        let state = State {
            jobs: BTreeMap::new(),
            outcomes: Vec::new(),
            heard: Instant::now(),
            failed: None,
            replayed: Replayed::default(),
            hosts: BTreeSet::new(),
        };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// These jobs wait now to be decided, each with its cases and where they belong; `here` cases are in none.
    pub(super) fn open(&self, jobs: impl Iterator<Item = (Digest, Cases, Vec<usize>)>, here: usize) {
        let mut state = self.lock();
        let pending = |cases, places: Vec<usize>| Pending {
            cases,
            left: places.len(),
            places: places.into_iter().map(Some).collect(),
            takers: Takers::default(),
        };
        state.jobs.extend(jobs.map(|(job, cases, places)| (job, pending(cases, places))));
        state.replayed.here += here as u64;
        state.heard = Instant::now();
    }

    /// Hears what a host has to say.
    pub(super) fn hear(&self, note: Note) -> Answer {
        let mut state = self.lock();
        let answer = state.hear(note);
        drop(state);
        self.changed.notify_all();
        answer
    }

    /// Something came that no host sends.
    pub(super) fn hear_garbage(&self) {
        self.lock().replayed.garbage += 1;
    }

    /// Hosts could not be heard for a while: that nothing was heard of a job says nothing about it.
    pub(super) fn could_not_hear(&self) {
        self.lock().jobs.values_mut().for_each(|pending| pending.takers.forget());
    }

    /// It cannot go on.
    pub(super) fn fail(&self, error: Error) {
        self.lock().failed.get_or_insert(error);
        self.changed.notify_all();
    }

    /// Waits until all jobs are decided, and tells each outcome with where it belongs.
    ///
    /// # Errors
    ///
    /// Why it cannot go on; [`cluster_fault`](adjudicate_host::codes::CLUSTER_FAULT) if nobody is heard for so long.
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
            if state.heard.elapsed() >= patience {
                return Err(state.nobody(patience, is_connected()));
            }
            state = self.changed.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// What became of it so far.
    pub(super) fn replayed(&self) -> Replayed {
        self.lock().replayed.clone()
    }

    /// A state is whole between any two of its changes.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn hear(&mut self, Note { host, said, .. }: Note) -> Answer {
        if self.hosts.len() < MOST_HOSTS {
            self.hosts.insert(host.clone());
        }
        match said {
            Said::Taken { job } => self.taken(&host, job),
            Said::Working { job } => match self.jobs.get_mut(&job) {
                Some(pending) => {
                    pending.takers.hear();
                    self.heard = Instant::now();
                    Answer::Confirmed
                }
                None => Answer::Over,
            },
            Said::Outcomes { job, outcomes } => self.decided(&host, job, outcomes),
            Said::Declined { job, why, last } => {
                let error = why.error();
                if self.hosts.contains(&host) {
                    self.replayed.declined.insert(host.clone(), error.to_string());
                }
                self.declined(&host, job, last)
            }
            Said::NoJob { .. } => {
                self.replayed.garbage += 1;
                Answer::Confirmed
            }
        }
    }

    /// A job that cost several hosts is not given to one more, and the run is over: this process would not survive it, either.
    fn taken(&mut self, host: &str, job: Digest) -> Answer {
        let Some(pending) = self.jobs.get_mut(&job) else { return Answer::Over };
        if pending.takers.are_lost() {
            let message = format!(
                "{}, and nothing was heard of these hosts' work since: a case of it may end the process that decides it",
                self.lost()
            );
            self.failed.get_or_insert(fault(message));
            return Answer::Over;
        }
        pending.takers.take(host);
        self.heard = Instant::now();
        Answer::Confirmed
    }

    /// Which jobs were taken, and by whom, of which nothing became: those first that cost most.
    fn lost(&self) -> String {
        let told = |pending: &Pending| Some((pending.takers.count(), pending.cases, pending.takers.told()?));
        let mut lost: Vec<_> = self.jobs.values().filter_map(told).collect();
        lost.sort_by_key(|(count, cases, _)| (std::cmp::Reverse(*count), cases.job));
        let most = lost.first().map_or(0, |(count, ..)| *count);
        let named = lost.iter().take_while(|(count, ..)| *count == most).take(MOST_NAMED);
        let named: Vec<_> = named.map(|(_, cases, told)| format!("{cases} was taken {told}")).collect();
        named.join("; ")
    }

    fn decided(&mut self, host: &str, job: Digest, outcomes: Vec<Decided>) -> Answer {
        let Some(pending) = self.jobs.get_mut(&job) else {
            self.replayed.doubled += outcomes.len() as u64;
            return Answer::Over;
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
        pending.takers.hear();
        if pending.left == 0 {
            self.jobs.remove(&job);
        }
        self.heard = Instant::now();
        self.replayed.elsewhere += first;
        if self.hosts.contains(host) {
            *self.replayed.hosts.entry(host.to_owned()).or_default() += first;
        }
        Answer::Confirmed
    }

    /// What is declined to the last is decided here, where others decide, or are at it still; where all decline, there is nobody to
    /// wait for.
    fn declined(&mut self, host: &str, job: Digest, is_last: bool) -> Answer {
        let Some(pending) = self.jobs.get_mut(&job) else { return Answer::Over };
        pending.takers.give_back(host);
        if !is_last {
            return Answer::Confirmed;
        }
        let all_decline = self.hosts.iter().all(|host| self.replayed.declined.contains_key(host));
        if self.replayed.elsewhere == 0 && all_decline {
            let message = format!("no host decides this: {}", self.reasons());
            self.failed.get_or_insert(fault(message));
        } else if let Some(pending) = self.jobs.remove(&job) {
            self.replayed.here += pending.left as u64;
        }
        Answer::Confirmed
    }

    /// Nobody was heard for so long.
    fn nobody(&self, patience: Duration, is_connected: bool) -> Error {
        let seconds = patience.as_secs();
        let jobs = self.jobs.len();
        let jobs = if jobs == 1 { "1 job is".to_owned() } else { format!("{jobs} jobs are") };
        let heard = match self.hosts.len() {
            0 => "no host was heard at all: `adjudicate serve --nats` runs one".to_owned(),
            1 => "1 host was heard before".to_owned(),
            hosts => format!("{hosts} hosts were heard before"),
        };
        let connection = if is_connected { "" } else { ", and there is no connection to NATS now" };
        let declined = match self.replayed.declined.is_empty() {
            true => String::new(),
            false => format!("; {}", self.reasons()),
        };
        let lost = match self.lost() {
            none if none.is_empty() => none,
            lost => format!("; {lost}, and nothing was heard of it since"),
        };
        fault(format!(
            "nobody decided anything for {seconds} s and {jobs} undecided: {heard}{connection}{declined}{lost}"
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
