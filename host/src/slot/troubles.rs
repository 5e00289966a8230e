//! What is wrong with slots that several hosts share: entries that this host refuses, and what else whoever follows the ledger
//! notes.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use adjudicate_core::{Error, codes::Subject};

use crate::{codes, history::Entry};

/// How long what was refused stays refused without being looked at again, while nobody changes whom is trusted: keys become valid
/// as time goes by, and a module that takes seconds to be compiled is not to be compiled all the time.
const REFUSED: Duration = Duration::from_secs(60);

/// How many slots that this host does not have are told by name: whoever may write the ledger can make up as many as they like.
pub(super) const MOST_ELSEWHERE: usize = 64;

/// What there is to say of slots beyond those that are told by name is said under this one, which no slot has.
pub(super) const ALL: &str = "";

/// What is wrong, by the names of slots. Those that this host has are all told; of others only so many.
#[derive(Debug, Default)]
pub(super) struct Troubles(Mutex<BTreeMap<String, Trouble>>);

#[derive(Debug, Default)]
struct Trouble {
    noted: Option<Error>,
    refused: Option<Refused>,
    /// Whether this host has the slot.
    is_here: bool,
}

/// The latest entry of a slot, which is not in force here.
#[derive(Debug)]
struct Refused {
    entry: Entry,
    error: Error,
    /// The trust policy by which it was.
    trust: Option<String>,
    since: Instant,
}

impl Troubles {
    /// What is wrong with a slot.
    pub(super) fn of(&self, slot: &str) -> Option<Error> {
        let troubles = self.lock();
        troubles.get(slot).and_then(Trouble::error).cloned()
    }

    /// All that is wrong.
    pub(super) fn all(&self) -> BTreeMap<String, Error> {
        let told = |(slot, trouble): (&String, &Trouble)| Some((slot.clone(), trouble.error()?.clone()));
        self.lock().iter().filter_map(told).collect()
    }

    /// Notes what is wrong with a slot, or that it no longer is.
    pub(super) fn note(&self, slot: &str, is_here: bool, error: Option<Error>) {
        self.change(slot, is_here, |trouble| trouble.noted = error);
    }

    /// The number of the slot's latest entry, if it is refused, and why.
    pub(super) fn refused(&self, slot: &str) -> Option<(i64, Error)> {
        let troubles = self.lock();
        let refused = troubles.get(slot)?.refused.as_ref()?;
        Some((refused.entry.id, refused.error.clone()))
    }

    /// Why an entry was refused a moment ago under this trust policy, if nothing else is to be expected now.
    pub(super) fn still(&self, entry: &Entry, trust: Option<&str>) -> Option<Error> {
        let troubles = self.lock();
        let refused = troubles.get(&entry.slot)?.refused.as_ref()?;
        let is_same = refused.entry == *entry && refused.trust.as_deref() == trust;
        let stays = is_lasting(&refused.error) && refused.since.elapsed() < REFUSED;
        (is_same && stays).then(|| refused.error.clone())
    }

    /// The entry of a slot that was refused, if this one supersedes it.
    pub(super) fn superseded(&self, by: &Entry) -> Option<Entry> {
        let troubles = self.lock();
        let refused = troubles.get(&by.slot)?.refused.as_ref()?;
        (refused.entry.id < by.id).then(|| refused.entry.clone())
    }

    /// An entry was refused under this trust policy; it was the latest so far as is known.
    pub(super) fn refuse(&self, entry: Entry, is_here: bool, trust: Option<String>, error: Error) {
        let slot = entry.slot.clone();
        self.change(&slot, is_here, |trouble| {
            if trouble.refused.as_ref().is_none_or(|refused| refused.entry.id <= entry.id) {
                trouble.refused = Some(Refused { entry, error, trust, since: Instant::now() });
            }
        });
    }

    /// A slot is in this entry of the ledger, or in a later one.
    pub(super) fn settle(&self, slot: &str, entry: i64) {
        self.change(slot, true, |trouble| {
            trouble.noted = None;
            trouble.refused.take_if(|refused| refused.entry.id <= entry);
        });
    }

    /// There is no such slot any more.
    pub(super) fn forget(&self, slot: &str) {
        self.lock().remove(slot);
    }

    fn change(&self, slot: &str, is_here: bool, change: impl FnOnce(&mut Trouble)) {
        let mut troubles = self.lock();
        let mut trouble = troubles.remove(slot).unwrap_or_default();
        change(&mut trouble);
        // Slots of a ledger do not go away.
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

    /// A map is whole between any two of its changes.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Trouble>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether one more slot that this host does not have is told by name.
fn has_room(troubles: &BTreeMap<String, Trouble>) -> bool {
    troubles.values().filter(|trouble| !trouble.is_here).count() < MOST_ELSEWHERE
}

/// What is told of the slots that are not told by name.
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

/// Whether what was said of a module will be said again, as far as anybody can tell: no network, disk or crowd was in the way.
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
        // Those that are told by name can change, and make room where they are well again.
        troubles.note("elsewhere-0", false, fault("other"));
        assert_eq!(troubles.of("elsewhere-0"), fault("other"));
        troubles.note("elsewhere-0", false, None);
        troubles.note("elsewhere-4999", false, fault("garbage"));
        assert!(troubles.of("elsewhere-0").is_none() && troubles.of("elsewhere-4999").is_some());
        // What was found out about one that is here stays, whoever else says what of it.
        troubles.note("here-0", false, fault("other"));
        assert_eq!(troubles.of("here-0"), fault("other"));
        // That there are more is told until somebody who knows says that there are none.
        assert!(troubles.of(ALL).is_some());
        troubles.note(ALL, false, None);
        assert_eq!(troubles.of(ALL), None);
    }
}
