//! The hosts that took a job without an outcome. A case that ends its process would end one host after the other.

use std::{collections::BTreeSet, time::Instant};

use super::super::worker::ACK_WAIT;

/// The number of hosts that a job may end. One may have been switched off, and two by chance.
pub(super) const MOST_LOST: usize = 3;

/// The range of cases in a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::replay) struct JobCases {
    /// The number of the job in its run.
    pub(in crate::replay) job: u64,
    /// The numbers of its first and last case, by line or record.
    pub(in crate::replay) first: u64,
    pub(in crate::replay) last: u64,
}

/// The hosts that took a job, in order.
#[derive(Debug)]
pub(super) struct JobAssignments {
    hosts: Vec<String>,
    /// The time of the last note about the job.
    last_seen: Instant,
}

impl Default for JobAssignments {
    fn default() -> Self {
        Self { hosts: Vec::new(), last_seen: Instant::now() }
    }
}

impl JobAssignments {
    /// Adds a host. The queue delivers a job again after some silence. If it comes sooner, the previous host gave it back.
    pub(super) fn take(&mut self, host: &str) {
        if self.last_seen.elapsed() < ACK_WAIT / 2 {
            self.hosts.pop();
        }
        self.hosts.push(host.to_owned());
        self.receive();
    }

    /// Notes that a host reported progress.
    pub(super) fn receive(&mut self) {
        self.last_seen = Instant::now();
    }

    /// Simulates a long silence.
    #[cfg(test)]
    pub(super) fn simulate_silence(&mut self) {
        self.last_seen = self.last_seen.checked_sub(ACK_WAIT).unwrap_or(self.last_seen);
    }

    /// Removes a host that gave the job back.
    pub(super) fn remove(&mut self, host: &str) {
        if let Some(place) = self.hosts.iter().rposition(|taker| taker == host) {
            self.hosts.remove(place);
        }
        self.receive();
    }

    /// Forgets all hosts, because their notes may have been lost.
    pub(super) fn forget(&mut self) {
        self.hosts.clear();
    }

    /// True if the job has ended as many hosts as it may.
    pub(super) fn are_lost(&self) -> bool {
        self.hosts.len() >= MOST_LOST && self.last_seen.elapsed() >= ACK_WAIT / 2
    }

    /// The number of hosts that took it without an outcome.
    pub(super) fn count(&self) -> usize {
        self.hosts.len()
    }

    /// Describes how often and by which hosts it was taken; `None` if it was not.
    pub(super) fn describe(&self) -> Option<String> {
        let named: BTreeSet<_> = self.hosts.iter().map(|host| format!("`{host}`")).collect();
        let named: Vec<_> = named.into_iter().collect();
        let times = match self.hosts.len() {
            0 => return None,
            1 => "once".to_owned(),
            times => format!("{times} times"),
        };
        Some(format!("{times}, by {}", named.join(", ")))
    }
}

impl std::fmt::Display for JobCases {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { job, first, last } = self;
        write!(f, "job {job} (cases {first} to {last})")
    }
}
