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
