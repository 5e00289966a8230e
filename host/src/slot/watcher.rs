//! The threads that follow the store, and act where calls may not wait.

use std::{
    sync::{Arc, Weak, mpsc},
    thread,
    time::{Duration, Instant},
};

use adjudicate_core::Error;

use super::{change::act_on_faults, opened::Inner, window::Window};
use crate::{codes, history::Action, store::Generation};

/// How often the store is asked whether somebody changed it.
const INTERVAL: Duration = Duration::from_millis(50);
/// After how many of those what could not be loaded is tried again.
const RETRY: u32 = 40;

/// What is to be done to a slot.
#[derive(Debug)]
pub(super) enum Task {
    /// The active composition failed too often.
    RollBack(Seen),
    /// The canary did.
    WithdrawCanary(Seen),
}

/// What was seen of a slot.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) slot: String,
    /// The entry of its history that was in force.
    pub(super) entry: i64,
    pub(super) note: String,
    /// Where the faults were counted; it hears when something was done about them.
    pub(super) window: Arc<Window>,
}

/// Starts the threads. They end with the slots.
pub(super) fn start(slots: Weak<Inner>, tasks: mpsc::Receiver<Task>, seen: Generation) -> Result<(), Error> {
    let acting = Weak::clone(&slots);
    spawn("adjudicate-act", "acts on faults", move || act(&acting, &tasks))?;
    spawn("adjudicate-watch", "watches the store", move || watch(&slots, seen))
}

fn spawn(name: &str, what: &str, run: impl FnOnce() + Send + 'static) -> Result<(), Error> {
    let started = thread::Builder::new().name(name.to_owned()).spawn(run);
    started.map(drop).map_err(|error| {
        Error::new(codes::HOST_FAULT, format!("the thread that {what} cannot be started: {error}"))
    })
}

fn watch(slots: &Weak<Inner>, seen: Generation) {
    let mut watch = Watch { version: None, seen };
    for round in 1_u64.. {
        thread::sleep(INTERVAL);
        let Some(slots) = slots.upgrade() else { return };
        // A store that cannot be read now is asked again soon.
        let _ = watch.look(&slots);
        if round % u64::from(RETRY) == 0 {
            slots.retry();
        }
    }
}

/// Acts on faults, one after the other. That may take as long as a network does, where slots are changed in a ledger; whoever is
/// not trusted any more is not to decide that long.
fn act(slots: &Weak<Inner>, tasks: &mpsc::Receiver<Task>) {
    // What could not be done is asked for again by a later fault, and not by the next one.
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

/// What was seen of the store.
struct Watch {
    /// The number that changes with every commit; asking for it is cheap.
    version: Option<i64>,
    /// What slots depend on. Records are committed all the time, and change nothing about them.
    seen: Generation,
}

impl Watch {
    fn look(&mut self, slots: &Inner) -> Result<(), Error> {
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

impl Inner {
    /// Does what faults call for. Where that fails, answers where they were counted.
    fn act(self: &Arc<Self>, task: Task) -> Option<Arc<Window>> {
        let (action, Seen { slot, entry, note, window }) = match task {
            Task::RollBack(seen) => (Action::AutomaticRollback, seen),
            Task::WithdrawCanary(seen) => (Action::CanaryWithdrawn, seen),
        };
        let slot = self.find(&slot).filter(|slot| slot.route.load().entry.id == entry);
        let done = slot.as_ref().map(|slot| act_on_faults(slot, &self.loader, action, entry, note));
        match (slot, done) {
            (Some(slot), Some(Err(error))) if error.code() != codes::SLOT_CHANGED => {
                slot.note(Some(error));
                Some(window)
            }
            // Somebody else changed the slot meanwhile: what fails there now is another matter.
            _ => {
                window.answered();
                None
            }
        }
    }
}
