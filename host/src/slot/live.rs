//! One slot, as this process has it: the pointer that calls follow, and what is known of it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use adjudicate_core::Error;
use arc_swap::ArcSwap;

use super::{loader::Loader, route::Route, statistics::Counters};
use crate::codes;

/// A slot, as this process has it.
#[derive(Debug)]
pub(super) struct SlotState {
    pub(super) name: String,
    pub(super) route: ArcSwap<Route>,
    pub(super) counters: Arc<Counters>,
    /// Held while the slot is changed from here.
    changing: Mutex<()>,
    /// Why the route is not that of the store.
    trouble: Mutex<Option<Error>>,
}

impl SlotState {
    /// A slot whose calls go this way.
    pub(super) fn new(name: &str, route: Route) -> Self {
        Self {
            name: name.to_owned(),
            route: ArcSwap::from_pointee(route),
            counters: Arc::default(),
            changing: Mutex::default(),
            trouble: Mutex::default(),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Loads what the store says, if it is not what is there, and what could not be loaded. Waits for nobody: who is not trusted
    /// any more decides no longer, whatever is being compiled for the slot.
    pub(super) fn refresh(&self, loader: &Loader) {
        self.follow_store(loader, |here| here.trouble.is_none());
    }

    /// The same for a slot that was loaded just now: what could not be loaded then is not tried again.
    pub(super) fn catch_up(&self, loader: &Loader) {
        self.follow_store(loader, |_| true);
    }

    fn follow_store(&self, loader: &Loader, is_settled: impl Fn(&Route) -> bool) {
        loop {
            let here = self.route.load_full();
            let loaded = loader.store.slot(&self.name).and_then(|entry| {
                let trust = loader.store.trust(Some(&self.name))?;
                let is_current = entry.id == here.entry.id && trust == here.trust && is_settled(&here);
                if is_current { Ok(None) } else { loader.next_route(entry, &here).map(Some) }
            });
            match loaded {
                Ok(Some(route)) => {
                    if self.swap(&here, route) {
                        return;
                    }
                    // Somebody else was faster, and perhaps saw less.
                }
                Ok(None) => return self.note_that_it_is_current(),
                Err(error) if error.code() == codes::UNKNOWN_SLOT => {
                    // Calls in flight keep the route that they began with.
                    if self.swap(&here, Route::closed(&self.name)) {
                        return;
                    }
                }
                Err(error) => return self.note(Some(error)),
            }
        }
    }

    /// What was loaded takes the place of what was there when that began; calls in flight keep what they have. False if
    /// something else is there by now.
    pub(super) fn swap(&self, here: &Arc<Route>, route: Route) -> bool {
        let before = self.route.compare_and_swap(here, Arc::new(route));
        let is_swapped = Arc::ptr_eq(&before, here);
        if is_swapped {
            self.note(None);
        }
        is_swapped
    }

    /// Returns whether this process has seen that the slot was deleted.
    pub(super) fn is_closed(&self) -> bool {
        self.route.load().is_closed()
    }

    /// Whether its calls are to be on record.
    pub(super) fn keeps_records(&self) -> bool {
        self.route.load().entry.settings.records.is_some()
    }

    /// Why the slot is not as the store says.
    pub(super) fn trouble(&self) -> Option<Error> {
        let trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone();
        trouble.or_else(|| self.route.load().trouble.clone())
    }

    /// The slot is as the store says. What could not be done in the store or in the ledger is asked for again by whoever wants
    /// it.
    fn note_that_it_is_current(&self) {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        trouble.take_if(|error| matches!(error.code(), codes::STORE_FAULT | codes::CLUSTER_FAULT));
    }

    pub(super) fn note(&self, trouble: Option<Error>) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }
}
