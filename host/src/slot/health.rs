//! Problems of slots that several hosts share: entries that this host refuses, and errors that the follower of the ledger notes.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use adjudicate_core::{Error, codes::Subject};

use crate::{codes, history::SlotEntry};

/// The time for which a refused entry stays refused without another check, while the trust policy stays the same. Keys become valid
/// with time, so it is checked again; compiling a module can take seconds, so it is not checked all the time.
const REFUSED: Duration = Duration::from_secs(60);

/// The most slots that this host lacks and that are reported by name. A client that may write the ledger can invent any number.
const MOST_ELSEWHERE: usize = 64;

/// The name under which further slots are reported. No slot has this name.
const ALL: &str = "";

/// The problems by slot. All slots of this host are reported, but only [`MOST_ELSEWHERE`] others.
#[derive(Debug, Default)]
pub(super) struct Problems(Mutex<BTreeMap<String, SlotProblem>>);

#[derive(Debug, Default)]
struct SlotProblem {
    noted: Option<Error>,
    refused: Option<RefusedEntry>,
    /// True if this host has the slot.
    is_local: bool,
}

/// The latest entry of a slot, which this host refused.
#[derive(Clone, Debug)]
pub(super) struct RefusedEntry {
    pub(super) entry: SlotEntry,
    pub(super) error: Error,
    /// The trust policy under which the entry was refused.
    trust: Option<String>,
    since: Instant,
}

impl Problems {
    pub(super) fn get(&self, slot: &str) -> Option<Error> {
        let problems = self.lock();
        problems.get(slot).and_then(SlotProblem::error).cloned()
    }

    pub(super) fn all(&self) -> BTreeMap<String, Error> {
        let listed =
            |(slot, problem): (&String, &SlotProblem)| Some((slot.clone(), problem.error()?.clone()));
        self.lock().iter().filter_map(listed).collect()
    }

    /// Notes a problem of a slot, or that there is none any more.
    pub(super) fn note(&self, slot: &str, is_local: bool, error: Option<Error>) {
        self.change(slot, is_local, |problem| problem.noted = error);
    }

    /// Returns the refused entry of a slot.
    pub(super) fn refused(&self, slot: &str) -> Option<RefusedEntry> {
        self.lock().get(slot)?.refused.clone()
    }

    /// Notes that an entry, the latest known one, was refused under this trust policy.
    pub(super) fn refuse(&self, entry: SlotEntry, is_local: bool, trust: Option<String>, error: Error) {
        let slot = entry.slot.clone();
        self.change(&slot, is_local, |problem| {
            if problem.refused.as_ref().is_none_or(|refused| refused.entry.id <= entry.id) {
                problem.refused = Some(RefusedEntry { entry, error, trust, since: Instant::now() });
            }
        });
    }

    /// Notes that a slot is in this entry of the ledger, or in a later one.
    pub(super) fn settle(&self, slot: &str, entry: i64) {
        self.change(slot, true, |problem| {
            problem.noted = None;
            problem.refused.take_if(|refused| refused.entry.id <= entry);
        });
    }

    /// Forgets a slot that no longer exists.
    pub(super) fn forget(&self, slot: &str) {
        self.lock().remove(slot);
    }

    fn change(&self, slot: &str, is_local: bool, change: impl FnOnce(&mut SlotProblem)) {
        let mut problems = self.lock();
        let mut problem = problems.remove(slot).unwrap_or_default();
        change(&mut problem);
        // A slot once known as local stays local.
        problem.is_local |= is_local || slot == ALL;
        if problem.error().is_none() {
            return;
        }
        let elsewhere = problems.values().filter(|problem| !problem.is_local).count();
        if problem.is_local || elsewhere < MOST_ELSEWHERE {
            problems.insert(slot.to_owned(), problem);
        } else {
            problems.entry(ALL.to_owned()).or_insert_with(more);
        }
    }

    /// Locks, even if a thread panicked that held the lock: the map is consistent between any two changes.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, SlotProblem>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the problem of the slots that are not reported by name.
fn more() -> SlotProblem {
    let message = format!(
        "more than {MOST_ELSEWHERE} slots of the cluster that this host does not have cannot be applied here; the others are not listed"
    );
    SlotProblem { noted: Some(Error::new(codes::CLUSTER_FAULT, message)), refused: None, is_local: true }
}

impl SlotProblem {
    fn error(&self) -> Option<&Error> {
        self.noted.as_ref().or_else(|| self.refused.as_ref().map(|refused| &refused.error))
    }
}

impl RefusedEntry {
    /// Returns whether an entry stays refused: it is this one, was refused under this trust policy within the last minute, and the
    /// error most likely repeats. The cause of such an error is not the network, the disk or the load.
    pub(super) fn applies(&self, entry: &SlotEntry, trust: Option<&str>) -> bool {
        let code = self.error.code();
        let is_lasting = code.subject() == Subject::Module && !codes::PASSING.contains(&code);
        let is_same = self.entry == *entry && self.trust.as_deref() == trust;
        is_same && is_lasting && self.since.elapsed() < REFUSED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(message: &'static str) -> Option<Error> {
        Some(Error::new(codes::CLUSTER_FAULT, message))
    }

    #[test]
    fn unknown_slots_never_displace_slots_of_this_host() {
        let problems = Problems::default();
        for number in 0..5000 {
            problems.note(&format!("elsewhere-{number}"), false, fault("garbage"));
        }
        assert_eq!(problems.all().len(), MOST_ELSEWHERE + 1);
        assert!(problems.get(ALL).unwrap().message().contains("more than 64 slots"));
        for number in 0..1000 {
            problems.note(&format!("here-{number}"), true, fault("garbage"));
        }
        assert_eq!(problems.all().len(), 1000 + MOST_ELSEWHERE + 1);
        assert!(problems.get("here-999").is_some() && problems.get("elsewhere-4999").is_none());
        // Slots that are reported by name can change, and make room when their problem is over.
        problems.note("elsewhere-0", false, fault("other"));
        assert_eq!(problems.get("elsewhere-0"), fault("other"));
        problems.note("elsewhere-0", false, None);
        problems.note("elsewhere-4999", false, fault("garbage"));
        assert!(problems.get("elsewhere-0").is_none() && problems.get("elsewhere-4999").is_some());
        // A slot once known as local stays local.
        problems.note("here-0", false, fault("other"));
        assert_eq!(problems.get("here-0"), fault("other"));
        // Further slots are reported until the follower notes that there are none.
        assert!(problems.get(ALL).is_some());
        problems.note(ALL, false, None);
        assert_eq!(problems.get(ALL), None);
    }
}
