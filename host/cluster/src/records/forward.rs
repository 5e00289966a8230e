//! The thread that sends decision records to the stream.

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
use adjudicate_trust::counted;

use super::outbox::Outbox;
use crate::{
    cluster::Cluster,
    connection::connections,
    fault::{fault, wrong_usage},
};

/// Interval at which the store is checked for new records.
const LOOK: Duration = Duration::from_millis(250);
/// Pause after a failure.
const PAUSE: Duration = Duration::from_secs(1);
/// The number of messages of one slot before the next slot's turn.
const TURN: usize = 16;

/// Sends decision records to the cluster until it is dropped.
///
/// ```no_run
/// # fn example(cluster: &adjudicate_cluster::Cluster, slots: adjudicate_host::Slots) -> Result<(), adjudicate_core::Error> {
/// let forwarding = cluster.forward_records(slots.store())?;
/// // The host decides and records calls. When it ends:
/// slots.close()?;
/// forwarding.finish(std::time::Duration::from_secs(10))?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Forwarding {
    shared: Arc<ForwardState>,
    wake: mpsc::Sender<()>,
    done: mpsc::Receiver<()>,
}

#[derive(Debug, Default)]
struct ForwardState {
    state: Mutex<ForwardStatus>,
    stopped: AtomicBool,
    /// True if the thread ends after all records are sent.
    finishing: AtomicBool,
}

#[derive(Debug, Default)]
struct ForwardStatus {
    problems: BTreeMap<String, Error>,
    waiting: BTreeMap<String, u64>,
}

impl Forwarding {
    /// The errors of slots whose records cannot be sent now, by slot. The empty name has an error that applies to all. The records
    /// stay in the store.
    ///
    /// ```no_run
    /// # fn example(forwarding: &adjudicate_cluster::Forwarding) {
    /// for (slot, error) in forwarding.problems() {
    ///     eprintln!("records of `{slot}` stay here: {error}");
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn problems(&self) -> BTreeMap<String, Error> {
        self.shared.state().problems.clone()
    }

    /// The number of records of each slot that were not confirmed in the stream at the last check.
    ///
    /// ```no_run
    /// # fn example(forwarding: &adjudicate_cluster::Forwarding) {
    /// println!("{} records wait", forwarding.waiting().values().sum::<u64>());
    /// # }
    /// ```
    #[must_use]
    pub fn waiting(&self) -> BTreeMap<String, u64> {
        self.shared.state().waiting.clone()
    }

    /// Sends the records that are now in the store, for at most this time, and ends. Before you call it, write all records.
    ///
    /// # Errors
    ///
    /// [`cluster_fault`](adjudicate_host::codes::CLUSTER_FAULT) with the number of unsent records and the reason. They stay in the
    /// store and are sent by the next forwarding.
    ///
    /// ```no_run
    /// # fn example(forwarding: adjudicate_cluster::Forwarding) {
    /// if let Err(error) = forwarding.finish(std::time::Duration::from_secs(10)) {
    ///     eprintln!("{error}");
    /// }
    /// # }
    /// ```
    pub fn finish(self, within: Duration) -> Result<(), Error> {
        self.shared.finishing.store(true, Ordering::Release);
        // The thread may have ended already.
        let _ = self.wake.send(());
        let ended = self.done.recv_timeout(within);
        let ForwardStatus { problems, waiting } = std::mem::take(&mut *self.shared.state());
        let left: u64 = waiting.values().sum();
        let is_over = ended != Err(mpsc::RecvTimeoutError::Timeout);
        if is_over && left == 0 && problems.is_empty() {
            return Ok(());
        }
        let why =
            problems.values().next().map_or_else(|| "the time was too short".to_owned(), ToString::to_string);
        Err(unsent(left, is_over, &why))
    }
}

/// The error for unsent records. If the time was too short, the latest records may not be counted.
fn unsent(left: u64, is_known: bool, why: &str) -> Error {
    let left = if is_known { left.to_string() } else { format!("{left} or more") };
    fault(format!(
        "{} not in the stream yet, but still in the store: {why}",
        counted(left, "decision record")
    ))
}

impl Drop for Forwarding {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::Release);
    }
}

impl ForwardState {
    fn state(&self) -> std::sync::MutexGuard<'_, ForwardStatus> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }
}

impl Cluster {
    /// Sends the decision records of a store to the stream, from the end of the stream on, including new ones.
    ///
    /// # Errors
    ///
    /// [`wrong_usage`](adjudicate_host::codes::WRONG_USAGE) for a store that does not belong to this cluster; the errors of the
    /// store; [`host_fault`](adjudicate_host::codes::HOST_FAULT) if no thread can be started.
    ///
    /// ```no_run
    /// # fn example(cluster: &adjudicate_cluster::Cluster, slots: &adjudicate_host::Slots) -> Result<(), adjudicate_core::Error> {
    /// let forwarding = cluster.forward_records(slots.store())?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn forward_records(&self, store: &Store) -> Result<Forwarding, Error> {
        let is_ours = store.cluster_id()?.as_deref() == Some(self.id());
        let Some(host) = store.host_id()?.filter(|_| is_ours) else {
            let message = "the store does not belong to this cluster, so its records cannot be sent";
            return Err(wrong_usage(message));
        };
        let shared = Arc::new(ForwardState::default());
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
            // The receiver may be gone.
            let _ = ended.try_send(());
        };
        let thread = thread::Builder::new().name("adjudicate-records".to_owned()).spawn(run);
        thread.map_err(|error| {
            let message = "the thread that sends decision records cannot be started";
            Error::caused_by(codes::HOST_FAULT, message, error)
        })?;
        Ok(Forwarding { shared, wake, done })
    }
}

struct Forwarder {
    cluster: Cluster,
    store: Store,
    host: String,
    outboxes: BTreeMap<String, Outbox>,
    connections: u64,
    shared: Arc<ForwardState>,
}

impl Forwarder {
    fn run(&mut self, woken: &mpsc::Receiver<()>) {
        while !self.shared.is_stopped() {
            // Records written from here on are sent in the next round.
            let is_last = self.shared.finishing.load(Ordering::Acquire);
            let problems = self.round(is_last);
            let is_well = problems.is_empty();
            self.publish_state(problems);
            if is_last && is_well {
                return;
            }
            let pause = if is_well { LOOK } else { PAUSE };
            // A closed channel and a wakeup differ only in the shared state.
            if woken.recv_timeout(pause) == Err(mpsc::RecvTimeoutError::Disconnected) {
                return;
            }
        }
    }

    /// Sends waiting records, slot by slot. Returns the errors. The last round continues until no record waits.
    fn round(&mut self, is_last: bool) -> BTreeMap<String, Error> {
        let mut problems = BTreeMap::new();
        if let Err(error) = self.look() {
            problems.insert(String::new(), error);
            return problems;
        }
        let deadline = Instant::now() + PAUSE;
        let mut going: Vec<String> = self.outboxes.keys().cloned().collect();
        while !going.is_empty() && !self.shared.is_stopped() && (is_last || Instant::now() < deadline) {
            going.retain(|slot| match self.turn(slot) {
                Ok(are_left) => are_left,
                Err(error) => {
                    problems.insert(slot.clone(), error);
                    false
                }
            });
        }
        problems
    }

    /// Finds the slots with records. Fails without a connection.
    fn look(&mut self) -> Result<(), Error> {
        for slot in self.store.recorded_slots()? {
            if !self.outboxes.contains_key(&slot) {
                let outbox = Outbox::new(self.cluster.name(), &self.host, &slot)?;
                self.outboxes.insert(slot, outbox);
            }
        }
        self.cluster.inner.require_connection()?;
        let connections = connections(&self.cluster.inner.client);
        if std::mem::replace(&mut self.connections, connections) != connections {
            // A server that restarted may have lost messages that it had acknowledged.
            self.outboxes.values_mut().for_each(Outbox::forget);
        }
        Ok(())
    }

    /// Sends some messages of a slot. Returns whether records may be left.
    fn turn(&mut self, slot: &str) -> Result<bool, Error> {
        let Some(outbox) = self.outboxes.get_mut(slot) else { return Ok(false) };
        for _ in 0..TURN {
            if self.shared.is_stopped() || !outbox.step(&self.cluster, &self.store)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Publishes the state for [`Forwarding`].
    fn publish_state(&self, mut problems: BTreeMap<String, Error>) {
        let mut waiting = BTreeMap::new();
        for (slot, outbox) in &self.outboxes {
            match outbox.waiting(&self.store) {
                Ok(0) => {}
                Ok(count) => {
                    waiting.insert(slot.clone(), count);
                }
                Err(error) => {
                    problems.entry(slot.clone()).or_insert(error);
                }
            }
        }
        *self.shared.state() = ForwardStatus { problems, waiting };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_uncertain_count_is_reported_as_such() {
        assert!(unsent(3, true, "why").message().starts_with("3 decision records not in the stream yet"));
        assert!(unsent(1, true, "why").message().starts_with("1 decision record not in the stream yet"));
        assert!(unsent(0, false, "why").message().starts_with("0 or more decision records not"));
    }
}
