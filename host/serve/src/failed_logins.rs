//! The limits of one address: for failed logins, and for idle connections, so that one client cannot use them all.
//!
//! The table of failed logins has a fixed size, so attackers cannot make it grow. Addresses in the same cell share a limit. A random key spreads the
//! addresses, so no attacker can choose the cell of another address. The limit counts only failures: a valid token is always
//! accepted.

use std::{
    collections::BTreeMap,
    hash::{BuildHasher, RandomState},
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::sync::Notify;

use crate::metrics::Metrics;

const CELLS: usize = 1024;

/// The length of a window, in seconds. Failures are counted per window.
pub(crate) const WINDOW: u64 = 10;

/// The failed logins of all addresses.
#[derive(Debug)]
pub(crate) struct FailedLogins {
    key: RandomState,
    /// The number of the current window in the upper 48 bits, its failures in the lower 16.
    cells: Box<[AtomicU64]>,
    most: u16,
}

impl FailedLogins {
    pub(crate) fn new(most: u16) -> Self {
        Self { key: RandomState::new(), cells: (0..CELLS).map(|_| AtomicU64::new(0)).collect(), most }
    }

    /// Counts a failure. Returns true if the address had too many in this window. `now` is in milliseconds since 1970.
    pub(crate) fn are_too_many(&self, from: IpAddr, now: i64) -> bool {
        let window = (now.unsigned_abs() / 1000 / WINDOW) << 16;
        let index = (self.key.hash_one(network(from)) as usize) % CELLS;
        let Some(cell) = self.cells.get(index) else { return false };
        let mut count = 0;
        let _ = cell.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |old| {
            count = if old & !0xffff == window { (old & 0xffff) + 1 } else { 1 };
            Some(window | count.min(0xffff))
        });
        count > u64::from(self.most)
    }
}

/// Returns the network of an address: all 2^64 addresses of an IPv6 /64 count as one, because one client has them all.
pub(crate) fn network(address: IpAddr) -> u64 {
    match address.to_canonical() {
        IpAddr::V4(address) => u64::from(address.to_bits()),
        IpAddr::V6(address) => (address.to_bits() >> 64) as u64,
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_counted_by_network_and_forgotten() {
        let failures = FailedLogins::new(2);
        let [one, same, mapped] =
            ["2001:db8::1", "2001:db8::2", "::ffff:192.0.2.1"].map(|a| a.parse().unwrap());
        let over = |from, now| failures.are_too_many(from, now);
        assert_eq!(
            [over(one, 0), over(same, 1), over(one, 9_999), over(same, 9_999)],
            [false, false, true, true]
        );
        assert!(!over(one, 10_000));
        assert_eq!([over(mapped, 0), over("192.0.2.1".parse().unwrap(), 0)], [false, false]);
        assert!(over(mapped, 0));
        for _ in 0..200_000 {
            over(one, 20_000);
        }
        assert!(over(one, 20_000) && !over(one, 30_000));
    }
}
