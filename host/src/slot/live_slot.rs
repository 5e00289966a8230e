//! The state of one slot in this process: the route of its calls, and its problem.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use adjudicate_core::Error;
use arc_swap::ArcSwap;

use super::{loader::Loader, route::Route, statistics::Counters};
use crate::codes;

/// The state of one slot in this process.
#[derive(Debug)]
pub(super) struct LiveSlot {
    pub(super) name: String,
    pub(super) route: ArcSwap<Route>,
    pub(super) counters: Arc<Counters>,
    /// Held during a change from this process.
    changing: Mutex<()>,
    /// The reason why the route is not that of the store.
    problem: Mutex<Option<Error>>,
}

impl LiveSlot {
    /// Creates the state of a slot with this route.
    pub(super) fn new(name: &str, route: Route) -> Self {
        Self {
            name: name.to_owned(),
            route: ArcSwap::from_pointee(route),
            counters: Arc::default(),
            changing: Mutex::default(),
            problem: Mutex::default(),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Routes calls by the current entry and trust policy of the store. Tries again to load the modules that could not be loaded before.
    ///
    /// It does not wait for running changes: a composition that is no longer trusted stops at once, even while a module is compiled for
    /// the slot.
    pub(super) fn refresh(&self, loader: &Loader) {
        self.follow_store(loader, |here| here.problem.is_none());
    }

    /// As [`LiveSlot::refresh`], for a slot that was just loaded: it does not try to load modules again.
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
                    // Another thread was faster and may have seen an earlier state.
                }
                Ok(None) => return self.note_that_it_is_current(),
                Err(error) if error.code() == codes::UNKNOWN_SLOT => {
                    // Running calls keep their route.
                    if self.swap(&here, Route::closed(&self.name)) {
                        return;
                    }
                }
                Err(error) => return self.note(Some(error)),
            }
        }
    }

    /// Replaces the route `here`. Running calls keep it. Returns false if there is another route by now.
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

    /// True if calls of the slot are recorded.
    pub(super) fn keeps_records(&self) -> bool {
        self.route.load().entry.settings.records.is_some()
    }

    /// The reason why the slot is not in the state of the store.
    pub(super) fn problem(&self) -> Option<Error> {
        let problem = self.problem.lock().unwrap_or_else(PoisonError::into_inner).clone();
        problem.or_else(|| self.route.load().problem.clone())
    }

    /// Notes that the slot is in the state of the store. Failed changes of the store or the ledger are left to their callers.
    fn note_that_it_is_current(&self) {
        let mut problem = self.problem.lock().unwrap_or_else(PoisonError::into_inner);
        problem.take_if(|error| matches!(error.code(), codes::STORE_FAULT | codes::CLUSTER_FAULT));
    }

    pub(super) fn note(&self, problem: Option<Error>) {
        *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = problem;
    }
}
