//! Who took a job and did not say what became of it: a case that ends the process that decides it ends one host after the other.

use std::{collections::BTreeSet, time::Instant};

use super::super::host::ACK_WAIT;

/// How many hosts a job may cost. Once may be a machine that was switched off, and twice two of them.
pub(super) const MOST_LOST: usize = 3;

/// Which cases of a run a job has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::replay) struct Cases {
    /// The number of the job in its run.
    pub(in crate::replay) job: u64,
    /// The numbers of the first and the last of its cases: of their lines or records.
    pub(in crate::replay) first: u64,
    pub(in crate::replay) last: u64,
}

/// Who took a job, one after the other.
#[derive(Debug)]
pub(super) struct Takers {
    hosts: Vec<String>,
    /// When anything was heard of the job.
    heard: Instant,
}

impl Default for Takers {
    fn default() -> Self {
        Self { hosts: Vec::new(), heard: Instant::now() }
    }
}

impl Takers {
    /// A host has the job. The queue gives it to another one when nothing was heard of it for some time; what comes sooner was given
    /// back by whoever had it.
    pub(super) fn take(&mut self, host: &str) {
        if self.heard.elapsed() < ACK_WAIT / 2 {
            self.hosts.pop();
        }
        self.hosts.push(host.to_owned());
        self.hear();
    }

    /// Something was heard of the job.
    pub(super) fn hear(&mut self) {
        self.heard = Instant::now();
    }

    /// As if nothing had been heard for long.
    #[cfg(test)]
    pub(super) fn heard_long_ago(&mut self) {
        self.heard = self.heard.checked_sub(ACK_WAIT).unwrap_or(self.heard);
    }

    /// A host gave it back.
    pub(super) fn give_back(&mut self, host: &str) {
        if let Some(place) = self.hosts.iter().rposition(|taker| taker == host) {
            self.hosts.remove(place);
        }
        self.hear();
    }

    /// What was taken so far says nothing: whoever has the job could not be heard.
    pub(super) fn forget(&mut self) {
        self.hosts.clear();
    }

    /// Whether it cost as many hosts as it may, so that no other is to have it.
    pub(super) fn are_lost(&self) -> bool {
        self.hosts.len() >= MOST_LOST && self.heard.elapsed() >= ACK_WAIT / 2
    }

    /// How often it was taken, and nothing became of it.
    pub(super) fn count(&self) -> usize {
        self.hosts.len()
    }

    /// How often it was taken, and by whom; `None` if it was not.
    pub(super) fn told(&self) -> Option<String> {
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

impl std::fmt::Display for Cases {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { job, first, last } = self;
        write!(f, "job {job} (cases {first} to {last})")
    }
}
