//! What takes long to make, kept for a while: made once for all who ask for it, and nobody waits for anything else.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use adjudicate_core::Error;

/// So many things, the one that was asked for last at the end; beside them only what is being made for somebody.
#[derive(Debug)]
pub(super) struct Shelf<K, T> {
    most: usize,
    /// How long a thing is used before it is made anew.
    oldest: Duration,
    places: Mutex<Vec<(K, Arc<Place<T>>)>>,
}

/// One thing. Whoever makes it holds the lock; who else asks for it waits there.
#[derive(Debug)]
struct Place<T>(Mutex<Option<Made<T>>>);

#[derive(Debug)]
struct Made<T> {
    outcome: Result<Arc<T>, Error>,
    at: Instant,
}

impl<K: PartialEq, T> Shelf<K, T> {
    pub(super) fn new(most: usize, oldest: Duration) -> Self {
        Self { most: most.max(1), oldest, places: Mutex::default() }
    }

    /// The thing of that key: what is there, or else what `make` makes. Who waited while another one made it gets what came of
    /// that, also if it failed; who asks later makes it again.
    ///
    /// # Errors
    ///
    /// Those of `make`.
    pub(super) fn find(&self, key: K, make: impl FnOnce() -> Result<T, Error>) -> Result<Arc<T>, Error> {
        let asked = Instant::now();
        let place = self.place(key);
        let mut made = lock(&place.0);
        if let Some(Made { outcome, at }) = &*made {
            let is_fresh = outcome.is_ok() && at.elapsed() < self.oldest;
            if is_fresh || *at >= asked {
                return outcome.clone();
            }
        }
        // What was there is let go of only now: what is made anew may share with it.
        let outcome = make().map(Arc::new);
        *made = Some(Made { outcome: outcome.clone(), at: Instant::now() });
        drop(made);
        self.tidy(place, outcome.is_err());
        outcome
    }

    /// The place of that key, which is the last one now.
    fn place(&self, key: K) -> Arc<Place<T>> {
        let mut places = lock(&self.places);
        let at = places.iter().position(|(other, _)| *other == key);
        let place = match at {
            Some(at) => places.remove(at).1,
            None => Arc::new(Place(Mutex::new(None))),
        };
        places.push((key, Arc::clone(&place)));
        place
    }

    /// Takes away what failed, and what is more than may be kept. What somebody waits for or makes stays.
    fn tidy(&self, place: Arc<Place<T>>, has_failed: bool) {
        let mut places = lock(&self.places);
        if has_failed {
            places.retain(|(_, other)| !Arc::ptr_eq(other, &place));
        }
        drop(place);
        // Only who holds this lock comes by a place.
        let is_idle = |(_, place): &(K, Arc<Place<T>>)| Arc::strong_count(place) == 1;
        let mut surplus = places.iter().filter(|each| is_idle(each)).count().saturating_sub(self.most);
        places.retain(|each| {
            let goes = surplus > 0 && is_idle(each);
            surplus -= usize::from(goes);
            !goes
        });
    }
}

/// What is guarded is whole whatever happened to the thread that held the lock.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            atomic::{AtomicUsize, Ordering},
            mpsc,
        },
        thread,
    };

    use adjudicate_core::ErrorCode;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn refusal() -> Error {
        Error::new(ErrorCode::ModuleCompile, "no")
    }

    /// How many have to do with the thing of a key, the shelf aside.
    fn concerned(shelf: &Shelf<u8, u32>, key: u8) -> usize {
        let places = lock(&shelf.places);
        places.iter().find(|(other, _)| *other == key).map_or(0, |(_, place)| Arc::strong_count(place) - 1)
    }

    fn keys(shelf: &Shelf<u8, u32>) -> Vec<u8> {
        lock(&shelf.places).iter().map(|(key, _)| *key).collect()
    }

    #[test]
    fn while_one_thing_is_made_what_is_there_is_had_and_others_are_made() {
        let shelf = Shelf::new(8, LONG);
        shelf.find(1, || Ok(10)).unwrap();
        let (begin, begun) = mpsc::channel();
        let (go_on, goes_on) = mpsc::channel::<()>();
        let (done, all_done) = mpsc::channel();
        thread::scope(|scope| {
            let shelf = &shelf;
            let slow = scope.spawn(move || {
                shelf.find(2, || {
                    begin.send(()).unwrap();
                    goes_on.recv().map_or(Err(refusal()), |()| Ok(20))
                })
            });
            begun.recv().unwrap();
            scope.spawn(move || {
                let there = shelf.find(1, || Err(refusal()));
                done.send((there, shelf.find(3, || Ok(30)))).unwrap();
            });
            // If they waited, the thing would be given up, and nobody would hang.
            let others = all_done.recv_timeout(LONG);
            let _ = go_on.send(());
            drop(go_on);
            assert_eq!(others.unwrap(), (Ok(Arc::new(10)), Ok(Arc::new(30))));
            assert_eq!(slow.join().unwrap(), Ok(Arc::new(20)));
        });
    }

    #[test]
    fn many_ask_and_it_is_made_once_whatever_comes_of_it() {
        for outcome in [Ok(7), Err(refusal())] {
            let (shelf, made) = (Shelf::new(1, Duration::ZERO), AtomicUsize::new(0));
            let make = || {
                while concerned(&shelf, 1) < 8 {
                    thread::yield_now();
                }
                made.fetch_add(1, Ordering::SeqCst);
                outcome.clone()
            };
            thread::scope(|scope| {
                let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| shelf.find(1, make))).collect();
                for thread in threads {
                    assert_eq!(thread.join().unwrap(), outcome.clone().map(Arc::new));
                }
            });
            assert_eq!(made.load(Ordering::SeqCst), 1);
            assert_eq!(keys(&shelf).len(), usize::from(outcome.is_ok()), "what failed is not kept");
            assert_eq!(
                shelf.find(1, || Ok(8)),
                Ok(Arc::new(8)),
                "it is made anew when it is too old, or failed"
            );
        }
    }

    #[test]
    fn so_many_are_kept_and_the_one_that_was_not_asked_for_longest_goes() {
        let shelf = Shelf::new(2, LONG);
        let ask = |key| *shelf.find(key, || Ok(u32::from(key))).unwrap();
        assert_eq!([1, 2, 1, 3].map(ask), [1, 2, 1, 3]);
        assert_eq!(keys(&shelf), [1, 3]);
        // What fails drives nothing out; what is being made is not driven out.
        shelf.find(4, || Err(refusal())).unwrap_err();
        assert_eq!(keys(&shelf), [1, 3]);
        shelf
            .find(5, || {
                assert_eq!([6, 7].map(ask), [6, 7]);
                assert_eq!(keys(&shelf), [5, 6, 7]);
                Ok(5)
            })
            .unwrap();
        assert_eq!(keys(&shelf).len(), 2);
    }

    #[test]
    fn what_is_made_anew_may_share_with_what_was_there() {
        let shelf = Shelf::new(1, Duration::ZERO);
        let first = shelf.find(1, || Ok(1)).unwrap();
        let held = Arc::downgrade(&first);
        drop(first);
        shelf.find(1, || held.upgrade().map(|first| *first + 1).ok_or_else(refusal)).unwrap();
        assert!(held.upgrade().is_none());
    }

    #[test]
    fn who_panics_keeps_nobody_from_making_it() {
        let shelf = Shelf::new(1, LONG);
        thread::scope(|scope| {
            let panicking = scope.spawn(|| shelf.find(1, || panic!("on purpose")));
            assert!(panicking.join().is_err());
        });
        assert_eq!(shelf.find(1, || Ok(3)), Ok(Arc::new(3)));
    }
}
