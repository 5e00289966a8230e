//! The threads that watch the store and act on faults.

use std::{
    sync::{Arc, Weak, mpsc},
    thread,
    time::{Duration, Instant},
};

use adjudicate_core::Error;

use super::{
    change::act_on_faults,
    state::SlotsState,
    window::{FaultObservation, Window},
};
use crate::{codes, store::Generation};

/// Interval between two checks of the store.
const INTERVAL: Duration = Duration::from_millis(50);
/// Number of intervals between two attempts to load what failed.
const RETRY: u32 = 40;

/// Starts the threads. They end with the slots.
pub(super) fn start(
    slots: Weak<SlotsState>,
    faults: mpsc::Receiver<FaultObservation>,
    seen: Generation,
) -> Result<(), Error> {
    let acting = Weak::clone(&slots);
    spawn("adjudicate-act", "acts on faults", move || act(&acting, &faults))?;
    spawn("adjudicate-watch", "watches the store", move || watch(&slots, seen))
}

fn spawn(name: &str, what: &str, run: impl FnOnce() + Send + 'static) -> Result<(), Error> {
    let started = thread::Builder::new().name(name.to_owned()).spawn(run);
    started.map(drop).map_err(|error| {
        Error::caused_by(codes::HOST_FAULT, format!("the thread that {what} cannot be started"), error)
    })
}

/// Loads the changes of other processes. `seen` is the part of the store's state that slots depend on.
fn watch(slots: &Weak<SlotsState>, mut seen: Generation) {
    // A number that changes with every commit, also of records. Reading it is cheap.
    let mut version = None;
    for round in 1_u64.. {
        thread::sleep(INTERVAL);
        let Some(slots) = slots.upgrade() else { return };
        let store = &slots.loader.store;
        // A store that cannot be read is checked again soon.
        if let Ok(found) = store.version()
            && version != Some(found)
            && let Ok(now) = store.generation()
        {
            if now != seen {
                slots.refresh();
            }
            (version, seen) = (Some(found), now);
        }
        if round % u64::from(RETRY) == 0 {
            slots.retry();
        }
    }
}

/// Acts on faults one by one. An action in a ledger may take as long as the network. Revoked trust must take effect meanwhile, so
/// this is a thread of its own.
fn act(slots: &Weak<SlotsState>, faults: &mpsc::Receiver<FaultObservation>) {
    // A failed action is requested again by a later fault, but not at once.
    let mut failed: Vec<Arc<Window>> = Vec::new();
    let mut since = Instant::now();
    loop {
        match faults.recv_timeout(INTERVAL * RETRY) {
            Ok(observed) => {
                let Some(slots) = slots.upgrade() else { return };
                failed.extend(slots.act(observed));
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => return,
        }
        if since.elapsed() >= INTERVAL * RETRY {
            failed.drain(..).for_each(|window| window.answered());
            since = Instant::now();
        }
    }
}

impl SlotsState {
    /// Acts on faults. Returns their window if that fails.
    fn act(&self, observed: FaultObservation) -> Option<Arc<Window>> {
        let slot = self.find(&observed.slot).filter(|slot| slot.route.load().entry.id == observed.entry);
        let done = slot.as_ref().map(|slot| act_on_faults(slot, &self.loader, &observed));
        match (slot, done) {
            (Some(slot), Some(Err(error))) if error.code() != codes::SLOT_CHANGED => {
                slot.note(Some(error));
                Some(observed.window)
            }
            // The slot was changed meanwhile, so its faults no longer count.
            _ => {
                observed.window.answered();
                None
            }
        }
    }
}
