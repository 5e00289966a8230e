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
mod tests {
    use std::{
        panic::{AssertUnwindSafe, catch_unwind},
        sync::{
            atomic::{AtomicU32, Ordering},
            mpsc,
        },
        thread,
    };

    use super::*;
    use crate::codes;

    const LONG: Duration = Duration::from_secs(60);

    fn refusal() -> Error {
        Error::new(codes::MODULE_COMPILE, "no")
    }

    /// The number of callers that build a value or wait for it.
    fn callers<T>(cache: &SingleFlight<u8, T>, key: u8) -> usize {
        lock(&cache.entries).by_key.get(&key).map_or(0, |(_, entry)| Arc::strong_count(entry) - 1)
    }

    /// Waits until this number of callers build a value or wait for it.
    fn until_callers<T>(cache: &SingleFlight<u8, T>, key: u8, count: usize) {
        while callers(cache, key) < count {
            thread::yield_now();
        }
    }

    fn keys<T>(cache: &SingleFlight<u8, T>) -> Vec<u8> {
        lock(&cache.entries).by_key.keys().copied().collect()
    }

    #[test]
    fn callers_of_one_key_share_one_build_whatever_its_outcome() {
        for (capacity, outcome) in [(0, Ok(7)), (1, Ok(7)), (0, Err(refusal())), (1, Err(refusal()))] {
            let (cache, builds) = (SingleFlight::new(capacity, Duration::ZERO), AtomicU32::new(0));
            let build = || {
                until_callers(&cache, 1, 8);
                builds.fetch_add(1, Ordering::SeqCst);
                outcome.clone()
            };
            thread::scope(|scope| {
                let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| cache.get(1, build))).collect();
                assert!(threads.into_iter().all(|thread| thread.join().unwrap() == outcome));
            });
            assert_eq!(builds.load(Ordering::SeqCst), 1);
            assert_eq!(keys(&cache).len(), if outcome.is_ok() { capacity } else { 0 }, "errors are not kept");
            assert_eq!(
                cache.get(1, || Ok(8)),
                Ok(8),
                "a value that is too old, and a failed one, is built again"
            );
        }
    }

    #[test]
    fn while_one_value_is_built_callers_get_cached_values_and_build_others() {
        let cache = SingleFlight::new(8, LONG);
        cache.get(1, || Ok(10)).unwrap();
        let (begin, begun) = mpsc::channel();
        let (go_on, goes_on) = mpsc::channel::<()>();
        let (done, all_done) = mpsc::channel();
        thread::scope(|scope| {
            let cache = &cache;
            let slow = scope.spawn(move || {
                cache.get(2, || {
                    begin.send(()).unwrap();
                    goes_on.recv().map_or(Err(refusal()), |()| Ok(20))
                })
            });
            begun.recv().unwrap();
            scope.spawn(move || {
                let cached = cache.get(1, || Err(refusal()));
                done.send((cached, cache.get(3, || Ok(30)))).unwrap();
            });
            // If the other callers waited, the build would fail, and no thread would hang.
            let others = all_done.recv_timeout(LONG);
            let _ = go_on.send(());
            drop(go_on);
            assert_eq!(others.unwrap(), (Ok(10), Ok(30)));
            assert_eq!(slow.join().unwrap(), Ok(20));
        });
    }

    #[test]
    fn a_build_may_build_another_value() {
        let cache = SingleFlight::new(0, LONG);
        assert_eq!(cache.get(1, || cache.get(2, || Ok(5))), Ok(5));
        assert_eq!(keys(&cache), [0; 0]);
    }

    #[test]
    fn the_least_recently_used_values_are_evicted() {
        let cache = SingleFlight::new(2, LONG);
        let ask = |key| cache.get(key, || Ok(u32::from(key))).unwrap();
        assert_eq!([1, 2, 1, 3].map(ask), [1, 2, 1, 3]);
        assert_eq!(keys(&cache), [1, 3]);
        // A failed build evicts no value, and a value that is being built is not evicted.
        cache.get(4, || Err(refusal())).unwrap_err();
        assert_eq!(keys(&cache), [1, 3]);
        cache
            .get(5, || {
                assert_eq!([6, 7].map(ask), [6, 7]);
                assert_eq!(keys(&cache), [5, 6, 7]);
                Ok(5)
            })
            .unwrap();
        assert_eq!(keys(&cache).len(), 2);
    }

    #[test]
    fn a_value_lives_until_its_successor_is_built() {
        let cache = SingleFlight::new(1, Duration::ZERO);
        let held = Arc::downgrade(&cache.get(1, || Ok(Arc::new(1))).unwrap());
        cache.get(1, || held.upgrade().map(|first| Arc::new(*first + 1)).ok_or_else(refusal)).unwrap();
        assert!(held.upgrade().is_none());
    }

    #[test]
    fn callers_that_wait_for_a_panic_get_an_error_and_later_ones_build() {
        let cache = SingleFlight::<u8, u32>::new(1, LONG);
        thread::scope(|scope| {
            let panicking = scope.spawn(|| {
                let build = || -> Result<u32, Error> {
                    until_callers(&cache, 1, 2);
                    panic!("on purpose")
                };
                catch_unwind(AssertUnwindSafe(|| cache.get(1, build)))
            });
            until_callers(&cache, 1, 1);
            let error = cache.get(1, || Ok(0)).unwrap_err();
            assert_eq!(error.code(), codes::HOST_FAULT);
            assert!(panicking.join().unwrap().is_err());
        });
        assert_eq!(cache.get(1, || Ok(3)), Ok(3));
    }
}
