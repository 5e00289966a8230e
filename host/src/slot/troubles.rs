//! Problems of slots that several hosts share: entries that this host refuses, and errors that the follower of the ledger notes.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use adjudicate_core::{Error, codes::Subject};

use crate::{codes, history::Entry};

/// The time for which a refused entry stays refused without another check, while the trust policy stays the same. Keys become valid
/// with time, so it is checked again; compiling a module can take seconds, so it is not checked all the time.
const REFUSED: Duration = Duration::from_secs(60);

/// The most slots that this host lacks and that are reported by name. A client that may write the ledger can invent any number.
pub(super) const MOST_ELSEWHERE: usize = 64;

/// The name under which further slots are reported. No slot has this name.
pub(super) const ALL: &str = "";

/// The problems by slot. All slots of this host are reported, but only [`MOST_ELSEWHERE`] others.
#[derive(Debug, Default)]
pub(super) struct Troubles(Mutex<BTreeMap<String, Trouble>>);

#[derive(Debug, Default)]
struct Trouble {
    noted: Option<Error>,
    refused: Option<Refused>,
    /// Whether this host has the slot.
    is_here: bool,
}

/// The latest entry of a slot, which this host refused.
#[derive(Debug)]
struct Refused {
    entry: Entry,
    error: Error,
    /// The trust policy under which the entry was refused.
    trust: Option<String>,
    since: Instant,
}

impl Troubles {
    /// Returns the problem of a slot.
    pub(super) fn of(&self, slot: &str) -> Option<Error> {
        let troubles = self.lock();
        troubles.get(slot).and_then(Trouble::error).cloned()
    }

    /// Returns all problems.
    pub(super) fn all(&self) -> BTreeMap<String, Error> {
        let told = |(slot, trouble): (&String, &Trouble)| Some((slot.clone(), trouble.error()?.clone()));
        self.lock().iter().filter_map(told).collect()
    }

    /// Notes a problem of a slot, or that there is none any more.
    pub(super) fn note(&self, slot: &str, is_here: bool, error: Option<Error>) {
        self.change(slot, is_here, |trouble| trouble.noted = error);
    }

    /// Returns the number of the slot's latest entry and the error, if the entry is refused.
    pub(super) fn refused(&self, slot: &str) -> Option<(i64, Error)> {
        let troubles = self.lock();
        let refused = troubles.get(slot)?.refused.as_ref()?;
        Some((refused.entry.id, refused.error.clone()))
    }

    /// Returns the error of an entry that was refused under this trust policy within the last minute, if the error is lasting.
    pub(super) fn still(&self, entry: &Entry, trust: Option<&str>) -> Option<Error> {
        let troubles = self.lock();
        let refused = troubles.get(&entry.slot)?.refused.as_ref()?;
        let is_same = refused.entry == *entry && refused.trust.as_deref() == trust;
        let stays = is_lasting(&refused.error) && refused.since.elapsed() < REFUSED;
        (is_same && stays).then(|| refused.error.clone())
    }

    /// Returns the refused entry of a slot, if this entry supersedes it.
    pub(super) fn superseded(&self, by: &Entry) -> Option<Entry> {
        let troubles = self.lock();
        let refused = troubles.get(&by.slot)?.refused.as_ref()?;
        (refused.entry.id < by.id).then(|| refused.entry.clone())
    }

    /// Notes that an entry, the latest known one, was refused under this trust policy.
    pub(super) fn refuse(&self, entry: Entry, is_here: bool, trust: Option<String>, error: Error) {
        let slot = entry.slot.clone();
        self.change(&slot, is_here, |trouble| {
            if trouble.refused.as_ref().is_none_or(|refused| refused.entry.id <= entry.id) {
                trouble.refused = Some(Refused { entry, error, trust, since: Instant::now() });
            }
        });
    }

    /// Notes that a slot is in this entry of the ledger, or in a later one.
    pub(super) fn settle(&self, slot: &str, entry: i64) {
        self.change(slot, true, |trouble| {
            trouble.noted = None;
            trouble.refused.take_if(|refused| refused.entry.id <= entry);
        });
    }

    /// Forgets a slot that no longer exists.
    pub(super) fn forget(&self, slot: &str) {
        self.lock().remove(slot);
    }

    fn change(&self, slot: &str, is_here: bool, change: impl FnOnce(&mut Trouble)) {
        let mut troubles = self.lock();
        let mut trouble = troubles.remove(slot).unwrap_or_default();
        change(&mut trouble);
        // A slot once known as local stays local.
        trouble.is_here |= is_here || slot == ALL;
        if trouble.error().is_none() {
            return;
        }
        if trouble.is_here || has_room(&troubles) {
            troubles.insert(slot.to_owned(), trouble);
        } else {
            troubles.entry(ALL.to_owned()).or_insert_with(more);
        }
    }

    /// Locks, even if a thread panicked that held the lock: the map is consistent between any two changes.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Trouble>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether one more slot that this host lacks may be reported by name.
fn has_room(troubles: &BTreeMap<String, Trouble>) -> bool {
    troubles.values().filter(|trouble| !trouble.is_here).count() < MOST_ELSEWHERE
}

/// Returns the problem of the slots that are not reported by name.
fn more() -> Trouble {
    let message = format!(
        "more than {MOST_ELSEWHERE} slots of the cluster that this host does not have cannot be taken over; the others are not named"
    );
    Trouble { noted: Some(Error::new(codes::CLUSTER_FAULT, message)), refused: None, is_here: true }
}

impl Trouble {
    fn error(&self) -> Option<&Error> {
        self.noted.as_ref().or_else(|| self.refused.as_ref().map(|refused| &refused.error))
    }
}

/// Whether an error of a module will most likely repeat: its cause is not the network, the disk or the load.
fn is_lasting(error: &Error) -> bool {
    let passes = matches!(
        error.code(),
        codes::CLUSTER_FAULT | codes::HOST_FAULT | codes::HOST_OVERLOADED | codes::STORE_FAULT
    );
    error.code().subject() == Subject::Module && !passes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(message: &'static str) -> Option<Error> {
        Some(Error::new(codes::CLUSTER_FAULT, message))
    }

    #[test]
    fn slots_that_are_not_here_never_take_the_place_of_those_that_are() {
        let troubles = Troubles::default();
        for number in 0..5000 {
            troubles.note(&format!("elsewhere-{number}"), false, fault("garbage"));
        }
        assert_eq!(troubles.all().len(), MOST_ELSEWHERE + 1);
        assert!(troubles.of(ALL).unwrap().message().contains("more than 64 slots"));
        for number in 0..1000 {
            troubles.note(&format!("here-{number}"), true, fault("garbage"));
        }
        assert_eq!(troubles.all().len(), 1000 + MOST_ELSEWHERE + 1);
        assert!(troubles.of("here-999").is_some() && troubles.of("elsewhere-4999").is_none());
        // Slots that are reported by name can change, and make room when their problem is over.
        troubles.note("elsewhere-0", false, fault("other"));
        assert_eq!(troubles.of("elsewhere-0"), fault("other"));
        troubles.note("elsewhere-0", false, None);
        troubles.note("elsewhere-4999", false, fault("garbage"));
        assert!(troubles.of("elsewhere-0").is_none() && troubles.of("elsewhere-4999").is_some());
        // A slot once known as local stays local.
        troubles.note("here-0", false, fault("other"));
        assert_eq!(troubles.of("here-0"), fault("other"));
        // Further slots are reported until the follower notes that there are none.
        assert!(troubles.of(ALL).is_some());
        troubles.note(ALL, false, None);
        assert_eq!(troubles.of(ALL), None);
    }
}
