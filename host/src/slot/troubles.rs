//! What is wrong with slots that several hosts share: entries that this host refuses, and what else whoever follows the ledger
//! notes.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use adjudicate_core::{Error, ErrorCode, codes::Subject};

use super::state::Entry;

/// How long what was refused stays refused without being looked at again, while nobody changes whom is trusted: keys become valid
/// as time goes by, and a module that takes seconds to be compiled is not to be compiled all the time.
const REFUSED: Duration = Duration::from_secs(60);

/// What is wrong, by the names of slots, whether or not this host has them.
#[derive(Debug, Default)]
pub(super) struct Troubles(Mutex<BTreeMap<String, Trouble>>);

#[derive(Debug, Default)]
struct Trouble {
    noted: Option<Error>,
    refused: Option<Refused>,
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
    pub(super) fn note(&self, slot: &str, error: Option<Error>) {
        self.change(slot, |trouble| trouble.noted = error);
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
    pub(super) fn refuse(&self, entry: Entry, trust: Option<String>, error: Error) {
        let slot = entry.slot.clone();
        self.change(&slot, |trouble| {
            if trouble.refused.as_ref().is_none_or(|refused| refused.entry.id <= entry.id) {
                trouble.refused = Some(Refused { entry, error, trust, since: Instant::now() });
            }
        });
    }

    /// A slot is in this entry of the ledger, or in a later one.
    pub(super) fn settle(&self, slot: &str, entry: i64) {
        self.change(slot, |trouble| {
            trouble.noted = None;
            trouble.refused.take_if(|refused| refused.entry.id <= entry);
        });
    }

    fn change(&self, slot: &str, change: impl FnOnce(&mut Trouble)) {
        let mut troubles = self.lock();
        let trouble = troubles.entry(slot.to_owned()).or_default();
        change(trouble);
        if trouble.error().is_none() {
            troubles.remove(slot);
        }
    }

    /// A map is whole between any two of its changes.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Trouble>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Trouble {
    fn error(&self) -> Option<&Error> {
        self.noted.as_ref().or_else(|| self.refused.as_ref().map(|refused| &refused.error))
    }
}

/// Whether what was said of a module will be said again, as far as anybody can tell: no network, disk or crowd was in the way.
fn is_lasting(error: &Error) -> bool {
    use ErrorCode::{ClusterFault, HostFault, HostOverloaded, StoreFault};
    let passes = matches!(error.code(), ClusterFault | HostFault | HostOverloaded | StoreFault);
    error.code().subject() == Subject::Module && !passes
}
