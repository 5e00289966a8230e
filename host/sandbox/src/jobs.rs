//! Work that several ask for at once is done once.

use std::{
    collections::BTreeMap,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use adjudicate_core::{Error, ErrorCode};

/// The work under way, by what it is about.
#[derive(Debug)]
pub(crate) struct Jobs<K, T> {
    under_way: Mutex<BTreeMap<K, Arc<Job<T>>>>,
}

/// One piece of work, and what came of it when it is done.
#[derive(Debug)]
struct Job<T> {
    outcome: Mutex<Option<Result<T, Error>>>,
    done: Condvar,
}

impl<K: Ord + Clone, T: Clone> Jobs<K, T> {
    pub(crate) const fn new() -> Self {
        Self { under_way: Mutex::new(BTreeMap::new()) }
    }

    /// Does the work; or waits for what comes of it, if somebody is at it. No lock is held meanwhile. What is done is
    /// forgotten: who comes later does it again.
    ///
    /// # Errors
    ///
    /// Those of the work, for everybody who waited for it; [`ErrorCode::HostFault`] for who waited in vain.
    pub(crate) fn once(&self, key: &K, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        let job = match self.join(key) {
            Ok(other) => return other.wait(),
            Err(own) => own,
        };
        let mut ending = Ending { jobs: self, key, job: &job, outcome: Err(gone_wrong()) };
        ending.outcome = work();
        ending.outcome.clone()
    }

    /// The job that is under way, or else a new one, which is the caller's to do.
    fn join(&self, key: &K) -> Result<Arc<Job<T>>, Arc<Job<T>>> {
        let mut under_way = lock(&self.under_way);
        if let Some(job) = under_way.get(key) {
            return Ok(Arc::clone(job));
        }
        let job = Arc::new(Job { outcome: Mutex::new(None), done: Condvar::new() });
        under_way.insert(key.clone(), Arc::clone(&job));
        Err(job)
    }
}

impl<T: Clone> Job<T> {
    fn wait(&self) -> Result<T, Error> {
        let mut outcome = lock(&self.outcome);
        loop {
            if let Some(outcome) = &*outcome {
                return outcome.clone();
            }
            outcome = self.done.wait(outcome).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Ends a job when it is dropped, also if the work panics: nobody waits for ever.
struct Ending<'j, K: Ord, T: Clone> {
    jobs: &'j Jobs<K, T>,
    key: &'j K,
    job: &'j Job<T>,
    outcome: Result<T, Error>,
}

impl<K: Ord, T: Clone> Drop for Ending<'_, K, T> {
    fn drop(&mut self) {
        // First the outcome: who still finds the job finds it done.
        *lock(&self.job.outcome) = Some(self.outcome.clone());
        self.job.done.notify_all();
        lock(&self.jobs.under_way).remove(self.key);
    }
}

fn gone_wrong() -> Error {
    Error::new(ErrorCode::HostFault, "another thread was to do this at the same time, and panicked")
}

/// What is guarded is whole whatever happened to the thread that held the lock.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::{
        panic::{AssertUnwindSafe, catch_unwind},
        sync::atomic::{AtomicU32, Ordering},
        thread,
    };

    use super::*;

    /// How many hold the job of that key, the map aside.
    fn holders(jobs: &Jobs<u8, u32>, key: u8) -> usize {
        lock(&jobs.under_way).get(&key).map_or(0, |job| Arc::strong_count(job) - 1)
    }

    #[test]
    fn many_ask_and_one_works() {
        let (jobs, done) = (Jobs::new(), AtomicU32::new(0));
        let work = || {
            while holders(&jobs, 1) < 8 {
                thread::yield_now();
            }
            Ok(done.fetch_add(1, Ordering::SeqCst))
        };
        thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| jobs.once(&1, work))).collect();
            assert!(threads.into_iter().all(|thread| thread.join().unwrap() == Ok(0)));
        });
        assert_eq!(jobs.once(&1, || Ok(7)), Ok(7), "what is done is forgotten");
    }

    #[test]
    fn other_work_is_not_waited_for() {
        let jobs = Jobs::new();
        assert_eq!(jobs.once(&1, || jobs.once(&2, || Ok(5))), Ok(5));
    }

    #[test]
    fn who_waits_shares_the_failure() {
        let jobs = Jobs::<u8, u32>::new();
        let refusal = || Error::new(ErrorCode::ModuleCompile, "no");
        let work = || {
            while holders(&jobs, 1) < 2 {
                thread::yield_now();
            }
            Err(refusal())
        };
        thread::scope(|scope| {
            let threads = [scope.spawn(|| jobs.once(&1, work)), scope.spawn(|| jobs.once(&1, work))];
            assert!(threads.into_iter().all(|thread| thread.join().unwrap() == Err(refusal())));
        });
    }

    #[test]
    fn who_waits_for_a_panic_is_told() {
        let jobs = Jobs::<u8, u32>::new();
        thread::scope(|scope| {
            let panicking = scope.spawn(|| {
                let work = || -> Result<u32, Error> {
                    while holders(&jobs, 1) < 2 {
                        thread::yield_now();
                    }
                    panic!("on purpose")
                };
                catch_unwind(AssertUnwindSafe(|| jobs.once(&1, work)))
            });
            while holders(&jobs, 1) < 1 {
                thread::yield_now();
            }
            let told = jobs.once(&1, || Ok(0)).unwrap_err();
            assert_eq!(told.code(), ErrorCode::HostFault);
            assert!(panicking.join().unwrap().is_err());
        });
        assert_eq!(jobs.once(&1, || Ok(3)), Ok(3));
    }
}
