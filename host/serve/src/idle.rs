//! The limit for idle connections of one address, so that one client cannot use them all.

use std::{
    collections::BTreeMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::Notify;

use crate::{failed_logins::network, metrics::Metrics};

/// The idle connections of all addresses.
#[derive(Debug)]
pub(crate) struct IdleLimit {
    most: usize,
    metrics: Arc<Metrics>,
    table: Mutex<IdleTable>,
}

#[derive(Debug, Default)]
struct IdleTable {
    next: u64,
    /// The idle connections of each network, oldest first.
    by_network: BTreeMap<u64, BTreeMap<u64, Arc<Notify>>>,
}

/// A connection that is idle until this is dropped.
#[derive(Debug)]
pub(crate) struct IdleConnection {
    idle: Arc<IdleLimit>,
    network: u64,
    number: u64,
}

impl IdleLimit {
    /// Allows `most` idle connections for each address.
    pub(crate) fn new(most: u32, metrics: Arc<Metrics>) -> Arc<Self> {
        Arc::new(Self { most: most as usize, metrics, table: Mutex::default() })
    }

    /// Adds a connection that is idle from now on. If its address then has too many, the one that has been idle for the longest time
    /// is notified to end.
    pub(crate) fn add(self: &Arc<Self>, from: IpAddr, end: &Arc<Notify>) -> IdleConnection {
        let network = network(from);
        let mut table = self.lock();
        let number = table.next;
        table.next += 1;
        let connections = table.by_network.entry(network).or_default();
        connections.insert(number, Arc::clone(end));
        if connections.len() > self.most
            && let Some((_, oldest)) = connections.pop_first()
        {
            self.metrics.shed("idle");
            oldest.notify_one();
        }
        IdleConnection { idle: Arc::clone(self), network, number }
    }

    /// Locks the table. It is consistent even after a panic of a thread that held the lock.
    fn lock(&self) -> MutexGuard<'_, IdleTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for IdleConnection {
    fn drop(&mut self) {
        let mut table = self.idle.lock();
        if let Some(connections) = table.by_network.get_mut(&self.network) {
            connections.remove(&self.number);
            if connections.is_empty() {
                table.by_network.remove(&self.network);
            }
        }
    }
}
