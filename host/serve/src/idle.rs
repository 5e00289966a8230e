//! Idle connections, by the address of their clients: one address has so many and no more, so that it leaves room for others.

use std::{
    collections::BTreeMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;

use crate::{guesses::network, metrics::Metrics};

/// The idle connections of all addresses.
#[derive(Debug)]
pub(crate) struct Idle {
    most: usize,
    metrics: Arc<Metrics>,
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    next: u64,
    /// Of each network, the connections in the order in which they became idle.
    by_network: BTreeMap<u64, BTreeMap<u64, Arc<Notify>>>,
}

/// A connection that is idle until this is dropped.
#[derive(Debug)]
pub(crate) struct Resting {
    idle: Arc<Idle>,
    network: u64,
    number: u64,
}

impl Idle {
    /// So many idle connections for each address.
    pub(crate) fn new(most: u32, metrics: Arc<Metrics>) -> Arc<Self> {
        Arc::new(Self { most: most as usize, metrics, waiting: Mutex::default() })
    }

    /// Takes in a connection that is idle from now on. Where its address has too many then, the one that has been idle for the longest
    /// time is told to end.
    pub(crate) fn enter(self: &Arc<Self>, from: IpAddr, end: &Arc<Notify>) -> Resting {
        let network = network(from);
        let mut waiting = self.lock();
        let number = waiting.next;
        waiting.next += 1;
        let connections = waiting.by_network.entry(network).or_default();
        connections.insert(number, Arc::clone(end));
        if connections.len() > self.most
            && let Some((_, oldest)) = connections.pop_first()
        {
            self.metrics.shed("idle");
            oldest.notify_one();
        }
        Resting { idle: Arc::clone(self), network, number }
    }

    /// The table is whole whatever happened to the thread that held the lock.
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Resting {
    fn drop(&mut self) {
        let mut waiting = self.idle.lock();
        if let Some(connections) = waiting.by_network.get_mut(&self.network) {
            connections.remove(&self.number);
            if connections.is_empty() {
                waiting.by_network.remove(&self.network);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{future::Future, pin::pin, task::Context};

    use super::*;

    fn is_told(end: &Notify) -> bool {
        let mut told = pin!(end.notified());
        told.as_mut().poll(&mut Context::from_waker(std::task::Waker::noop())).is_ready()
    }

    #[test]
    fn the_oldest_of_an_address_makes_room_and_nothing_is_left() {
        let idle = Idle::new(2, Arc::new(Metrics::new()));
        let [one, same, other] = ["192.0.2.1", "::ffff:192.0.2.1", "192.0.2.2"].map(|a| a.parse().unwrap());
        let ends: Vec<_> = (0..5).map(|_| Arc::new(Notify::new())).collect();
        let told = || ends.iter().map(|end| is_told(end)).collect::<Vec<_>>();
        let first = idle.enter(one, &ends[0]);
        let second = idle.enter(same, &ends[1]);
        let elsewhere = idle.enter(other, &ends[2]);
        assert_eq!(told(), [false; 5]);
        // Whoever works is none of them.
        drop(first);
        let third = idle.enter(one, &ends[3]);
        assert_eq!(told(), [false; 5]);
        let fourth = idle.enter(one, &ends[4]);
        assert_eq!(told(), [false, true, false, false, false]);
        drop((second, third, fourth, elsewhere));
        assert!(idle.lock().by_network.is_empty());
    }
}
