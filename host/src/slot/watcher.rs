//! The threads that watch the store and act on faults.

use std::{
    sync::{Arc, Weak, mpsc},
    thread,
    time::{Duration, Instant},
};

use adjudicate_core::Error;

use super::{
    change::act_on_faults,
    slots_state::SlotsState,
    task::{FaultObservation, Task},
    window::Window,
};
use crate::{codes, history::SlotAction, store::Generation};

/// Interval between two checks of the store.
const INTERVAL: Duration = Duration::from_millis(50);
/// Number of intervals between two attempts to load what failed.
const RETRY: u32 = 40;

/// Starts the threads. They end with the slots.
pub(super) fn start(
    slots: Weak<SlotsState>,
    tasks: mpsc::Receiver<Task>,
    seen: Generation,
) -> Result<(), Error> {
    let acting = Weak::clone(&slots);
    spawn("adjudicate-act", "acts on faults", move || act(&acting, &tasks))?;
    spawn("adjudicate-watch", "watches the store", move || watch(&slots, seen))
}

fn spawn(name: &str, what: &str, run: impl FnOnce() + Send + 'static) -> Result<(), Error> {
    let started = thread::Builder::new().name(name.to_owned()).spawn(run);
    started.map(drop).map_err(|error| {
        Error::caused_by(codes::HOST_FAULT, format!("the thread that {what} cannot be started"), error)
    })
}

fn watch(slots: &Weak<SlotsState>, seen: Generation) {
    let mut watch = Watch { version: None, seen };
    for round in 1_u64.. {
        thread::sleep(INTERVAL);
        let Some(slots) = slots.upgrade() else { return };
        // A store that cannot be read is checked again soon.
        let _ = watch.look(&slots);
        if round % u64::from(RETRY) == 0 {
            slots.retry();
        }
    }
}

/// Acts on faults one by one. An action in a ledger may take as long as the network. Revoked trust must take effect meanwhile, so
/// this is a thread of its own.
fn act(slots: &Weak<SlotsState>, tasks: &mpsc::Receiver<Task>) {
    // A failed action is requested again by a later fault, but not at once.
    let mut failed: Vec<Arc<Window>> = Vec::new();
    let mut since = Instant::now();
    loop {
        match tasks.recv_timeout(INTERVAL * RETRY) {
            Ok(task) => {
                let Some(slots) = slots.upgrade() else { return };
                failed.extend(slots.act(task));
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

/// The last observed state of the store.
struct Watch {
    /// A number that changes with every commit. Reading it is cheap.
    version: Option<i64>,
    /// The part of the state that slots depend on. Commits of records do not change it.
    seen: Generation,
}

impl Watch {
    fn look(&mut self, slots: &SlotsState) -> Result<(), Error> {
        let store = &slots.loader.store;
        let version = store.version()?;
        if self.version == Some(version) {
            return Ok(());
        }
        let now = store.generation()?;
        if now != self.seen {
            slots.refresh();
        }
        (self.version, self.seen) = (Some(version), now);
        Ok(())
    }
}

impl SlotsState {
    /// Performs an action. Returns the window of the faults if it fails.
    fn act(self: &Arc<Self>, task: Task) -> Option<Arc<Window>> {
        let (action, FaultObservation { slot, entry, note, window }) = match task {
            Task::RollBack(seen) => (SlotAction::AutomaticRollback, seen),
            Task::WithdrawCanary(seen) => (SlotAction::CanaryWithdrawn, seen),
        };
        let slot = self.find(&slot).filter(|slot| slot.route.load().entry.id == entry);
        let done = slot.as_ref().map(|slot| act_on_faults(slot, &self.loader, action, entry, note));
        match (slot, done) {
            (Some(slot), Some(Err(error))) if error.code() != codes::SLOT_CHANGED => {
                slot.note(Some(error));
                Some(window)
            }
            // The slot was changed meanwhile, so its faults no longer count.
            _ => {
                window.answered();
                None
            }
        }
    }
}
