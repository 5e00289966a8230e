//! Whoever decided a record, asked again: the modules that its entry of the history names, and what the slot did about a fault.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use adjudicate_sandbox::{Digest, Host};

use super::{
    case::{Case, Obstacle, Recorded},
    outcome::{Outcome, code_of, is_beside_modules},
    version::load,
};
use crate::{
    slot::{By, Composition, Ensemble, Entry, StandIns, is_of_canary, stand_in},
    store::Store,
};

/// Whoever decided the records of a slot: loaded when they are first asked for.
#[derive(Debug)]
pub struct RecordedVersions {
    store: Store,
    host: Host,
    slot: String,
    entries: Found<i64, Entry>,
    loaded: Found<(i64, Who), Ensemble>,
}

/// What was found, or is being looked for; `None` for what is not there, or cannot be loaded.
#[derive(Debug)]
struct Found<K, T>(Mutex<BTreeMap<K, Place<T>>>);

type Place<T> = Arc<OnceLock<Option<Arc<T>>>>;

impl<K: Ord, T> Found<K, T> {
    const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    /// What is to be had by that key: looked for once, by whoever is first. Who wants it, too, waits for that; who wants
    /// something else does not.
    fn find(&self, key: K, look: impl FnOnce() -> Option<T>) -> Result<Arc<T>, Obstacle> {
        let place = Arc::clone(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default());
        place.get_or_init(|| look().map(Arc::new)).clone().ok_or(Obstacle::ModuleMissing)
    }
}

/// Who is asked in an entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Who {
    Active,
    Canary,
    /// The modules of an earlier entry.
    Before(Vec<Digest>),
}

impl RecordedVersions {
    pub(super) fn new(store: Store, host: Host, slot: &str) -> Self {
        let slot = slot.to_owned();
        Self { store, host, slot, entries: Found::new(), loaded: Found::new() }
    }

    /// What a call comes to that is decided as it was then. Where a module fails, what the slot did about it is done again: the
    /// last good version is asked, or the decision is closed.
    pub(super) fn decide(&self, case: &Case) -> Result<Outcome, Obstacle> {
        let recorded = of_modules(case)?;
        let entry = self.entry(recorded.entry)?;
        let (operation, input) = (case.operation, case.input.as_bytes());
        let first = first(&entry, case, recorded);
        let asked = self.ensemble(&entry, first.clone())?;
        let failed = match asked.answer(operation, input) {
            Ok(answer) => return Ok(Outcome::answered(operation, answer)),
            Err(failed) => failed,
        };
        // Where the last good version did not answer then, it is not asked now: it may have been out of trust.
        let last_good = match recorded.by == By::LastGood.as_str() {
            true if first == Who::Canary => Some(self.ensemble(&entry, Who::Active)?),
            true => Some(self.ensemble(&entry, Who::Before(recorded.modules.clone()))?),
            false => None,
        };
        let stand_ins = last_good.as_deref().map(|last_good| StandIns { asked: &asked, last_good });
        Ok(match stand_in(&entry, stand_ins, operation, input, failed) {
            Ok(decided) => Outcome::answered(operation, decided.text),
            Err(error) => Outcome::failed(error.to_json()),
        })
    }

    /// Who was asked first.
    pub(super) fn of(&self, case: &Case) -> Result<Arc<Ensemble>, Obstacle> {
        let recorded = of_modules(case)?;
        let entry = self.entry(recorded.entry)?;
        self.ensemble(&entry, first(&entry, case, recorded))
    }

    fn entry(&self, id: i64) -> Result<Arc<Entry>, Obstacle> {
        self.entries.find(id, || self.store.entry(&self.slot, id).ok())
    }

    fn ensemble(&self, entry: &Entry, who: Who) -> Result<Arc<Ensemble>, Obstacle> {
        self.loaded.find((entry.id, who.clone()), || self.load(entry, &who))
    }

    fn load(&self, entry: &Entry, who: &Who) -> Option<Ensemble> {
        let load = |composition: &Composition| {
            load(&self.store, &self.host, composition, entry.settings.limits(self.host.limits())).ok()
        };
        match who {
            Who::Active => entry.state.active.as_ref().and_then(load),
            Who::Canary => entry.state.canary.as_ref().and_then(|canary| load(&canary.composition)),
            Who::Before(modules) => {
                let is_it = |each: &Entry| {
                    let members = each.state.active.iter().flat_map(Composition::members);
                    members.map(|member| member.module).eq(modules.iter().copied())
                };
                let before = self.store.judged_before(&self.slot, entry.id, |each, _| !is_it(each)).ok()?;
                let (found, _) = before.into_iter().find(|(each, _)| is_it(each))?;
                found.state.active.as_ref().and_then(load)
            }
        }
    }
}

/// What is recorded of a case that modules had a say in.
fn of_modules(case: &Case) -> Result<&Recorded, Obstacle> {
    let recorded = case.recorded.as_ref().ok_or(Obstacle::ModuleMissing)?;
    let codes = [recorded.outcome.error_code(), recorded.fault.as_deref().and_then(code_of)];
    match codes.into_iter().flatten().find_map(|code| is_beside_modules(&code)) {
        Some(obstacle) => Err(obstacle),
        None => Ok(recorded),
    }
}

/// Who was asked first. Where somebody stood in, the record does not say for whom; the run does.
fn first(entry: &Entry, case: &Case, recorded: &Recorded) -> Who {
    let is_canary = match &recorded.by {
        by if by == By::Active.as_str() => false,
        by if by == By::Canary.as_str() => true,
        _ => entry.state.canary.as_ref().is_some_and(|canary| {
            is_of_canary(&entry.slot, case.operation, case.input.as_bytes(), canary.permille)
        }),
    };
    if is_canary { Who::Canary } else { Who::Active }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            atomic::{AtomicUsize, Ordering},
            mpsc,
        },
        thread,
        time::Duration,
    };

    use super::*;

    #[test]
    fn while_one_is_loaded_others_are_had_and_loaded() {
        let found = Found::new();
        assert_eq!(found.find(1, || Some(10)), Ok(Arc::new(10)));
        let (begin, begun) = mpsc::channel();
        let (go_on, goes_on) = mpsc::channel::<()>();
        let (done, all_done) = mpsc::channel();
        thread::scope(|scope| {
            let found = &found;
            let look = move || {
                begin.send(()).unwrap();
                goes_on.recv().ok().map(|()| 20)
            };
            let slow = scope.spawn(move || found.find(2, look));
            begun.recv().unwrap();
            scope.spawn(move || done.send((found.find(1, || None), found.find(3, || None))).unwrap());
            // If they waited, what they wait for would not be found, and nobody would hang.
            let others = all_done.recv_timeout(Duration::from_secs(60));
            let _ = go_on.send(());
            drop(go_on);
            assert_eq!(others.unwrap(), (Ok(Arc::new(10)), Err(Obstacle::ModuleMissing)));
            assert_eq!(slow.join().unwrap(), Ok(Arc::new(20)));
        });
    }

    #[test]
    fn many_ask_and_one_looks() {
        let (found, looked) = (Found::new(), AtomicUsize::new(0));
        let holders =
            || found.0.lock().unwrap().get(&1).map_or(0, |place: &Place<u8>| Arc::strong_count(place) - 1);
        let look = || {
            while holders() < 8 {
                thread::yield_now();
            }
            looked.fetch_add(1, Ordering::SeqCst);
            None
        };
        thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| found.find(1, look))).collect();
            assert!(threads.into_iter().all(|thread| thread.join().unwrap() == Err(Obstacle::ModuleMissing)));
        });
        // What cannot be loaded is not tried again for every record.
        assert_eq!(found.find(1, || Some(1)), Err(Obstacle::ModuleMissing));
        assert_eq!(looked.load(Ordering::SeqCst), 1);
    }
}
