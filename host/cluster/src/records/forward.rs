//! The thread that sends decision records.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use adjudicate_core::Error;
use adjudicate_host::{Store, codes};
use adjudicate_sandbox::counted;

use super::outbox::{Outbox, Step};
use crate::{cluster::Cluster, fault::fault};

/// How often the store is looked at for new records.
const LOOK: Duration = Duration::from_millis(250);
/// How long to wait after a failure.
const PAUSE: Duration = Duration::from_secs(1);
/// How many messages of one slot are sent before others have their turn.
const TURN: usize = 16;

/// Decision records that are sent to the cluster until this is dropped.
///
/// ```no_run
/// # use adjudicate_cluster::{Cluster, Settings};
/// # let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
/// # use adjudicate_sandbox::Host;
/// # use adjudicate_host::{Slots, Store};
/// # let store = Store::open("store".as_ref())?;
/// # let host = Host::new(adjudicate_sandbox::Settings::default())?;
/// # let slots = Slots::open_shared(store, host, cluster.ledger(), false)?;
/// let forwarding = cluster.forward_records(slots.store())?;
/// // Calls are decided, and recorded; when the host ends:
/// slots.close()?;
/// forwarding.finish(std::time::Duration::from_secs(10))?;
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Forwarding {
    shared: Arc<Shared>,
    wake: mpsc::Sender<()>,
    done: mpsc::Receiver<()>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    stopped: AtomicBool,
    /// Whether to end once all are sent.
    finishing: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    troubles: BTreeMap<String, Error>,
    waiting: BTreeMap<String, u64>,
}

impl Forwarding {
    /// Why records of a slot are not sent now, by slot; under the empty name, why none are. They stay in the store.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, Settings};
    /// # let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
    /// # use adjudicate_sandbox::Host;
    /// # use adjudicate_host::{Slots, Store};
    /// # let store = Store::open("store".as_ref())?;
    /// # let host = Host::new(adjudicate_sandbox::Settings::default())?;
    /// # let slots = Slots::open_shared(store, host, cluster.ledger(), false)?;
    /// let forwarding = cluster.forward_records(slots.store())?;
    /// for (slot, error) in forwarding.troubles() {
    ///     eprintln!("records of `{slot}` stay here: {error}");
    /// }
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn troubles(&self) -> BTreeMap<String, Error> {
        self.shared.state().troubles.clone()
    }

    /// How many records of each slot were not known to be in the stream when they were looked at last.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, Settings};
    /// # let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
    /// # use adjudicate_sandbox::Host;
    /// # use adjudicate_host::{Slots, Store};
    /// # let store = Store::open("store".as_ref())?;
    /// # let host = Host::new(adjudicate_sandbox::Settings::default())?;
    /// # let slots = Slots::open_shared(store, host, cluster.ledger(), false)?;
    /// let forwarding = cluster.forward_records(slots.store())?;
    /// println!("{} records wait", forwarding.waiting().values().sum::<u64>());
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn waiting(&self) -> BTreeMap<String, u64> {
        self.shared.state().waiting.clone()
    }

    /// Sends what is in the store now, for up to so long, and ends. Whoever calls it has written all that is to be sent.
    ///
    /// # Errors
    ///
    /// [`cluster_fault`](adjudicate_host::codes::CLUSTER_FAULT), with how many records are not in the stream, and why: they stay in the store, and
    /// are sent when it is forwarded again.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, Settings};
    /// # let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
    /// # use adjudicate_sandbox::Host;
    /// # use adjudicate_host::{Slots, Store};
    /// # let store = Store::open("store".as_ref())?;
    /// # let host = Host::new(adjudicate_sandbox::Settings::default())?;
    /// # let slots = Slots::open_shared(store, host, cluster.ledger(), false)?;
    /// let forwarding = cluster.forward_records(slots.store())?;
    /// slots.close()?;
    /// if let Err(error) = forwarding.finish(std::time::Duration::from_secs(10)) {
    ///     eprintln!("{error}");
    /// }
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn finish(self, within: Duration) -> Result<(), Error> {
        self.shared.finishing.store(true, Ordering::Release);
        // It may have ended already.
        let _ = self.wake.send(());
        let ended = self.done.recv_timeout(within);
        let State { troubles, waiting } = std::mem::take(&mut *self.shared.state());
        let left: u64 = waiting.values().sum();
        let is_over = ended != Err(mpsc::RecvTimeoutError::Timeout);
        if is_over && left == 0 && troubles.is_empty() {
            return Ok(());
        }
        let why =
            troubles.values().next().map_or_else(|| "there was no time".to_owned(), ToString::to_string);
        Err(unsent(left, is_over, &why))
    }
}

/// What is said of records that were not sent. Whoever had no time may not have counted those that came last.
fn unsent(left: u64, is_known: bool, why: &str) -> Error {
    let left = if is_known { left.to_string() } else { format!("{left} or more") };
    fault(format!("{} not in the stream yet, and kept in the store: {why}", counted(left, "decision record")))
}

impl Drop for Forwarding {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::Release);
    }
}

impl Shared {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }
}

impl Cluster {
    /// Sends the decision records of a store to the stream, from where the stream ends, and those that come.
    ///
    /// # Errors
    ///
    /// [`wrong_usage`](adjudicate_host::codes::WRONG_USAGE) for a store whose slots are not those of this cluster; those of the store;
    /// [`host_fault`](adjudicate_host::codes::HOST_FAULT) if no thread can be started.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, Settings};
    /// # let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
    /// use adjudicate_sandbox::Host;
    /// use adjudicate_host::{Slots, Store};
    /// let store = Store::open("store".as_ref())?;
    /// let host = Host::new(adjudicate_sandbox::Settings::default())?;
    /// // From here on the store is that of the cluster.
    /// let slots = Slots::open_shared(store.clone(), host, cluster.ledger(), false)?;
    /// let forwarding = cluster.forward_records(&store)?;
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn forward_records(&self, store: &Store) -> Result<Forwarding, Error> {
        let is_ours = store.cluster_id()?.as_deref() == Some(self.id());
        let Some(host) = store.host_id()?.filter(|_| is_ours) else {
            let message = "the store's slots are not those of this cluster, so its records are not, either";
            return Err(Error::new(codes::WRONG_USAGE, message));
        };
        let shared = Arc::new(Shared::default());
        let (wake, woken) = mpsc::channel();
        let (ended, done) = mpsc::sync_channel(1);
        let mut forwarder = Forwarder {
            cluster: self.clone(),
            store: store.clone(),
            host,
            outboxes: BTreeMap::new(),
            connections: 0,
            shared: Arc::clone(&shared),
        };
        let run = move || {
            forwarder.run(&woken);
            // Whoever waited may have gone.
            let _ = ended.try_send(());
        };
        let thread = thread::Builder::new().name("adjudicate-records".to_owned()).spawn(run);
        thread.map_err(|error| {
            let message = format!("the thread that sends decision records cannot be started: {error}");
            Error::new(codes::HOST_FAULT, message)
        })?;
        Ok(Forwarding { shared, wake, done })
    }
}

/// What sends.
struct Forwarder {
    cluster: Cluster,
    store: Store,
    host: String,
    outboxes: BTreeMap<String, Outbox>,
    connections: u64,
    shared: Arc<Shared>,
}

impl Forwarder {
    fn run(&mut self, woken: &mpsc::Receiver<()>) {
        while !self.shared.is_stopped() {
            // What is written from here on is seen in the next round.
            let is_last = self.shared.finishing.load(Ordering::Acquire);
            let troubles = self.round(is_last);
            let is_well = troubles.is_empty();
            self.tell(troubles);
            if is_last && is_well {
                return;
            }
            let pause = if is_well { LOOK } else { PAUSE };
            // Whoever holds the other end is told apart by what is shared.
            if woken.recv_timeout(pause) == Err(mpsc::RecvTimeoutError::Disconnected) {
                return;
            }
        }
    }

    /// Sends what waits, of each slot in its turn; what went wrong. The last round goes on until nothing waits.
    fn round(&mut self, is_last: bool) -> BTreeMap<String, Error> {
        let mut troubles = BTreeMap::new();
        if let Err(error) = self.look() {
            troubles.insert(String::new(), error);
            return troubles;
        }
        let deadline = Instant::now() + PAUSE;
        let mut going: Vec<String> = self.outboxes.keys().cloned().collect();
        while !going.is_empty() && !self.shared.is_stopped() && (is_last || Instant::now() < deadline) {
            going.retain(|slot| match self.turn(slot) {
                Ok(step) => step == Step::Sent,
                Err(error) => {
                    troubles.insert(slot.clone(), error);
                    false
                }
            });
        }
        troubles
    }

    /// Finds the slots of which there are records, if there is a connection to send them through.
    fn look(&mut self) -> Result<(), Error> {
        for slot in self.store.recorded_slots()? {
            if !self.outboxes.contains_key(&slot) {
                let outbox = Outbox::new(self.cluster.name(), &self.host, &slot)?;
                self.outboxes.insert(slot, outbox);
            }
        }
        self.cluster.inner.require_connection()?;
        let connections = self.cluster.inner.connections();
        if std::mem::replace(&mut self.connections, connections) != connections {
            // A server that ended may have lost what it had said it kept.
            self.outboxes.values_mut().for_each(Outbox::forget);
        }
        Ok(())
    }

    fn turn(&mut self, slot: &str) -> Result<Step, Error> {
        let Some(outbox) = self.outboxes.get_mut(slot) else { return Ok(Step::Done) };
        for _ in 0..TURN {
            if self.shared.is_stopped() || outbox.step(&self.cluster, &self.store)? == Step::Done {
                return Ok(Step::Done);
            }
        }
        Ok(Step::Sent)
    }

    /// Says how it stands.
    fn tell(&self, mut troubles: BTreeMap<String, Error>) {
        let mut waiting = BTreeMap::new();
        for (slot, outbox) in &self.outboxes {
            match outbox.waiting(&self.store) {
                Ok(0) => {}
                Ok(count) => {
                    waiting.insert(slot.clone(), count);
                }
                Err(error) => {
                    troubles.entry(slot.clone()).or_insert(error);
                }
            }
        }
        *self.shared.state() = State { troubles, waiting };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_that_may_be_too_low_says_so() {
        assert!(unsent(3, true, "why").message().starts_with("3 decision records not in the stream yet"));
        assert!(unsent(1, true, "why").message().starts_with("1 decision record not in the stream yet"));
        assert!(unsent(0, false, "why").message().starts_with("0 or more decision records not"));
    }
}
