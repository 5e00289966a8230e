//! A cache that builds each value once: concurrent callers of one key share one build.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use adjudicate_core::Error;

use crate::codes;

/// A cache of values that take long to build. Concurrent callers of one key share one build and its outcome, also an error;
/// callers of other keys do not wait. Errors are not kept.
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

/// One value. Its builder holds the lock, and other callers wait for the lock; a lock that is poisoned says that the builder
/// panicked.
#[derive(Debug)]
struct Entry<T>(Mutex<Option<Built<T>>>);

#[derive(Debug)]
struct Built<T> {
    outcome: Result<T, Error>,
    at: Instant,
}

impl<K: Ord + Clone, T: Clone> SingleFlight<K, T> {
    /// A cache of at most `capacity` values besides those that are being built; it evicts the least recently used one. After
    /// `max_age` a value is built again. With a capacity of 0 callers share builds, and nothing is kept.
    #[must_use]
    pub const fn new(capacity: usize, max_age: Duration) -> Self {
        let entries = Mutex::new(Entries { turn: 0, by_key: BTreeMap::new() });
        Self { capacity, max_age, entries }
    }

    /// Returns the value of a key: the cached one, or else the one that `build` returns. No lock that other keys need is held
    /// meanwhile.
    ///
    /// # Errors
    ///
    /// Those of `build`, for every caller that waited for it; [`codes::HOST_FAULT`] if `build` panicked on another thread
    /// while this one waited.
    pub fn get(&self, key: K, build: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        let asked = Instant::now();
        let entry = self.entry(&key);
        let mut built = entry.0.lock().map_err(|_| panicked())?;
        if let Some(Built { outcome, at }) = &*built {
            let is_fresh = outcome.is_ok() && at.elapsed() < self.max_age;
            if is_fresh || *at >= asked {
                return outcome.clone();
            }
        }
        let mut building = Building { cache: self, key: &key, is_kept: false };
        let outcome = build();
        building.is_kept = outcome.is_ok() && self.capacity > 0;
        // An entry that is not kept leaves the cache before its time is set, so all callers that have it were waiting.
        drop(building);
        // The old value is dropped only now: the new one may share with it.
        *built = Some(Built { outcome: outcome.clone(), at: Instant::now() });
        drop(built);
        drop(entry);
        self.evict();
        outcome
    }

    /// The entry of a key, which is the most recently used one now.
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
        // Only the holder of this lock gets an entry.
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

/// Removes an entry that is not kept when it is dropped, also if the builder panics.
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
    Error::new(codes::HOST_FAULT, "another thread was to do this at the same time, and panicked")
}

/// The entries are whole whatever happened to the thread that held the lock.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
