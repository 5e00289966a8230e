//! A cache that builds each value once: concurrent callers of one key share one build.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use adjudicate_core::Error;

use crate::codes;

/// A cache of values that take long to build. Concurrent callers of one key share one build and its outcome, even if it is an
/// error. Callers of other keys do not wait. Errors are not cached.
///
/// ```
/// use std::time::Duration;
/// use adjudicate_sandbox::SingleFlight;
///
/// let lengths = SingleFlight::new(100, Duration::from_secs(30));
/// assert_eq!(lengths.get("word", || Ok(4)), Ok(4));
/// // The value is kept: this function does not run.
/// assert_eq!(lengths.get("word", || Ok(0)), Ok(4));
/// ```
#[derive(Debug)]
pub struct SingleFlight<K, T> {
    capacity: usize,
    max_age: Duration,
    entries: Mutex<Entries<K, T>>,
}

/// The entries by key, each with the turn in which it was last asked for.
#[derive(Debug)]
struct Entries<K, T> {
    turn: u64,
    by_key: BTreeMap<K, (u64, Arc<Entry<T>>)>,
}

/// One value. The caller that builds it holds the lock, and other callers wait for the lock. If the lock is poisoned, the
/// builder panicked.
#[derive(Debug)]
struct Entry<T>(Mutex<Option<Built<T>>>);

#[derive(Debug)]
struct Built<T> {
    outcome: Result<T, Error>,
    at: Instant,
}

impl<K: Ord + Clone, T: Clone> SingleFlight<K, T> {
    /// Returns a cache of at most `capacity` values, in addition to those that callers build or wait for. It evicts the least
    /// recently used value. After `max_age` a value is built again. With a capacity of 0, callers share builds, and the cache
    /// keeps no values.
    #[must_use]
    pub const fn new(capacity: usize, max_age: Duration) -> Self {
        let entries = Mutex::new(Entries { turn: 0, by_key: BTreeMap::new() });
        Self { capacity, max_age, entries }
    }

    /// Returns the value of a key: the cached one, or else the one that `build` returns. Callers of other keys do not wait for
    /// `build`, and `build` may call `get` with another key.
    ///
    /// # Errors
    ///
    /// The error of `build`, for every caller that waited for it; [`codes::HOST_FAULT`] if `build` panicked on another thread
    /// while this one waited.
    pub fn get(&self, key: K, build: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        let called = Instant::now();
        let entry = self.entry(&key);
        let mut built = entry.0.lock().map_err(|_| panicked())?;
        if let Some(Built { outcome, at }) = &*built {
            let is_fresh = outcome.is_ok() && at.elapsed() < self.max_age;
            if is_fresh || *at >= called {
                return outcome.clone();
            }
        }
        let mut building = Building { cache: self, key: &key, is_kept: false };
        let outcome = build();
        building.is_kept = outcome.is_ok() && self.capacity > 0;
        // An entry that is not kept leaves the cache before `at` is set. So every caller that holds the entry asked before `at`,
        // and gets the outcome of this build.
        drop(building);
        // The old value lives until the new one is built, because the build may reuse parts of it.
        *built = Some(Built { outcome: outcome.clone(), at: Instant::now() });
        drop(built);
        drop(entry);
        self.evict();
        outcome
    }

    /// Returns the entry of a key and marks it as the most recently used one.
    fn entry(&self, key: &K) -> Arc<Entry<T>> {
        let mut entries = lock(&self.entries);
        entries.turn += 1;
        let turn = entries.turn;
        let new = || (turn, Arc::new(Entry(Mutex::new(None))));
        let (last, entry) = entries.by_key.entry(key.clone()).or_insert_with(new);
        *last = turn;
        Arc::clone(entry)
    }

    /// Removes the least recently used entries above the capacity, except those that callers build or wait for.
    fn evict(&self) {
        let mut entries = lock(&self.entries);
        if entries.by_key.len() <= self.capacity {
            return;
        }
        // The count cannot grow meanwhile: to get an entry, a caller needs this lock.
        let is_idle = |entry: &Arc<Entry<T>>| Arc::strong_count(entry) == 1;
        let idle = entries.by_key.iter().filter(|(_, (_, entry))| is_idle(entry));
        let mut idle: Vec<(u64, K)> = idle.map(|(key, (turn, _))| (*turn, key.clone())).collect();
        idle.sort_unstable();
        let surplus = idle.len().saturating_sub(self.capacity);
        for (_, key) in idle.into_iter().take(surplus) {
            entries.by_key.remove(&key);
        }
    }
}

/// A running build. When it is dropped, it removes an entry that is not kept, even if the builder panics.
struct Building<'c, K: Ord, T> {
    cache: &'c SingleFlight<K, T>,
    key: &'c K,
    is_kept: bool,
}

impl<K: Ord, T> Drop for Building<'_, K, T> {
    fn drop(&mut self) {
        if !self.is_kept {
            lock(&self.cache.entries).by_key.remove(self.key);
        }
    }
}

fn panicked() -> Error {
    Error::new(codes::HOST_FAULT, "another thread that built the same value panicked")
}

/// Locks, even if a thread panicked that held the lock: the entries are consistent between any two statements.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
