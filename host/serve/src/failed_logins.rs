//! The limit for failed logins of one address.
//!
//! The table has a fixed size, so attackers cannot make it grow. Addresses in the same cell share a limit. A random key spreads the
//! addresses, so no attacker can choose the cell of another address. The limit counts only failures: a valid token is always
//! accepted.

use std::{
    hash::{BuildHasher, RandomState},
    net::IpAddr,
    sync::atomic::{AtomicU64, Ordering},
};

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
