//! The concurrency limiter: runs calls on threads of their own, few at once, with a bound on their memory together and a short queue.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use adjudicate_core::Error;
use tokio::{
    sync::{AcquireError, OwnedSemaphorePermit, Semaphore},
    task::JoinHandle,
    time::timeout,
};

use crate::codes;

#[derive(Debug)]
pub(crate) struct Lanes {
    free: Arc<Semaphore>,
    /// What is left of the memory, in KiB, and all of it.
    memory: Arc<Semaphore>,
    all_memory: u32,
    waiting: AtomicU32,
    queue: u32,
    wait: Duration,
}

/// The right to compute; given back when dropped.
#[derive(Debug)]
pub(crate) struct Lane {
    _lane: OwnedSemaphorePermit,
    _memory: OwnedSemaphorePermit,
}

/// A place in the queue, given back when whoever had it goes away.
struct Place<'a>(&'a AtomicU32);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A job that is taken off the list if nobody waits for it any more before it began.
struct Job<T>(JoinHandle<T>);

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Lanes {
    /// Returns this many lanes, with this many bytes of memory for all together.
    pub(crate) fn new(lanes: u32, memory: usize, queue: u32, wait: Duration) -> Self {
        let free = Arc::new(Semaphore::new(lanes as usize));
        let all_memory = u32::try_from(memory >> 10).unwrap_or(u32::MAX);
        let memory = Arc::new(Semaphore::new(all_memory as usize));
        Self { free, memory, all_memory, waiting: AtomicU32::new(0), queue, wait }
    }

    /// Runs a job that may take this many bytes of memory. Refuses it if the queue is full or no lane becomes free in time. A job that
    /// is dropped while it waits does not run; one that began runs to its end, and keeps its lane until then.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        bytes: usize,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let lane = self.turn(bytes).await?;
        self.run_on(lane, job).await
    }

    /// Waits for a lane with this many bytes of memory. A job that needs more than all memory gets all of it, and runs alone.
    pub(crate) async fn turn(&self, bytes: usize) -> Result<Lane, Error> {
        let memory = u32::try_from(bytes.div_ceil(1 << 10)).unwrap_or(u32::MAX).min(self.all_memory);
        match Arc::clone(&self.memory).try_acquire_many_owned(memory) {
            Ok(memory) => match Arc::clone(&self.free).try_acquire_owned() {
                Ok(lane) => Ok(Lane { _lane: lane, _memory: memory }),
                Err(_) => self.queue_up(async { Ok(memory) }).await,
            },
            Err(_) => self.queue_up(Arc::clone(&self.memory).acquire_many_owned(memory)).await,
        }
    }

    /// Runs a job on a lane.
    pub(crate) async fn run_on<T: Send + 'static>(
        &self,
        lane: Lane,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let mut job = Job(tokio::task::spawn_blocking(move || {
            let _held = lane;
            job()
        }));
        (&mut job.0).await.map_err(|_| Error::new(codes::HOST_FAULT, "the call could not be finished"))
    }

    async fn queue_up(
        &self,
        memory: impl Future<Output = Result<OwnedSemaphorePermit, AcquireError>>,
    ) -> Result<Lane, Error> {
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= self.queue {
            drop(Place(&self.waiting));
            return Err(Error::new(codes::HOST_OVERLOADED, "too many calls wait already; try again"));
        }
        let _place = Place(&self.waiting);
        // Memory first: whoever waits for a lane then waits for somebody who computes.
        let both = async {
            let _memory = memory.await?;
            Ok::<_, AcquireError>(Lane { _lane: Arc::clone(&self.free).acquire_owned().await?, _memory })
        };
        match timeout(self.wait, both).await {
            Ok(Ok(lane)) => Ok(lane),
            _ => {
                let message =
                    format!("no lane or no memory was free within {} ms; try again", self.wait.as_millis());
                Err(Error::new(codes::HOST_OVERLOADED, message))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{atomic::AtomicUsize, mpsc::channel};

    use super::*;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
    }

    #[test]
    fn who_finds_the_queue_full_is_refused_and_who_leaves_is_not_computed() {
        runtime().block_on(async {
            let lanes = Arc::new(Lanes::new(1, 1 << 20, 1, Duration::from_secs(60)));
            let (release, held) = channel::<()>();
            let first = tokio::spawn({
                let lanes = Arc::clone(&lanes);
                async move { lanes.run(1, move || held.recv().is_ok()).await }
            });
            while lanes.free.available_permits() > 0 {
                tokio::task::yield_now().await;
            }
            let (ran, was_run) = channel::<()>();
            let second = tokio::spawn({
                let lanes = Arc::clone(&lanes);
                async move { lanes.run(1, move || ran.send(())).await.map(drop) }
            });
            while lanes.waiting.load(Ordering::Relaxed) == 0 {
                tokio::task::yield_now().await;
            }
            assert_eq!(lanes.run(1, || ()).await.unwrap_err().code(), codes::HOST_OVERLOADED);
            second.abort();
            assert!(second.await.is_err());
            assert_eq!(lanes.waiting.load(Ordering::Relaxed), 0);
            release.send(()).unwrap();
            assert_eq!(first.await.unwrap(), Ok(true));
            assert_eq!(lanes.run(1, || 7).await, Ok(7));
            assert!(was_run.try_recv().is_err());
        });
    }

    #[test]
    fn the_queue_has_a_deadline_and_a_panic_is_an_error() {
        runtime().block_on(async {
            let lanes = Lanes::new(1, 1 << 20, 1, Duration::ZERO);
            let held = Arc::clone(&lanes.free).acquire_owned().await.unwrap();
            assert_eq!(lanes.run(1, || ()).await.unwrap_err().code(), codes::HOST_OVERLOADED);
            drop(held);
            assert_eq!(
                lanes.run(1, || panic!("on purpose")).await.map(|(): ()| ()).unwrap_err().code(),
                codes::HOST_FAULT
            );
            assert_eq!(lanes.run(1, || 1).await, Ok(1));
        });
    }

    #[test]
    fn all_that_is_admitted_fits_into_the_memory() {
        const ALL: usize = 10 << 20;
        let lanes = Arc::new(Lanes::new(8, ALL, 1000, Duration::from_secs(60)));
        let [used, peak, ran] = [(); 3].map(|()| Arc::new(AtomicUsize::new(0)));
        runtime().block_on(async {
            let calls = (0..200).map(|number: usize| {
                let (lanes, used, peak, ran) =
                    (Arc::clone(&lanes), Arc::clone(&used), Arc::clone(&peak), Arc::clone(&ran));
                // One in ten needs more than there is, and is alone.
                let bytes = if number.is_multiple_of(10) { 2 * ALL } else { (number % 7) << 20 };
                tokio::spawn(async move {
                    let counted = bytes.min(ALL);
                    let job = move || {
                        let now = used.fetch_add(counted, Ordering::SeqCst) + counted;
                        peak.fetch_max(now, Ordering::SeqCst);
                        std::thread::sleep(Duration::from_millis(1));
                        used.fetch_sub(counted, Ordering::SeqCst);
                        ran.fetch_add(1, Ordering::SeqCst);
                    };
                    lanes.run(bytes, job).await
                })
            });
            for call in calls.collect::<Vec<_>>() {
                assert_eq!(call.await.unwrap(), Ok(()));
            }
        });
        assert_eq!((peak.load(Ordering::SeqCst), ran.load(Ordering::SeqCst)), (ALL, 200));
        assert_eq!(lanes.memory.available_permits(), ALL >> 10);
    }

    #[test]
    fn calls_for_which_there_is_no_memory_wait_or_are_refused_as_those_without_a_lane() {
        runtime().block_on(async {
            let lanes = Lanes::new(8, 4 << 20, 1, Duration::ZERO);
            let held = lanes.turn(3 << 20).await.unwrap();
            assert!(lanes.run(1 << 20, || ()).await.is_ok());
            assert_eq!(lanes.run(2 << 20, || ()).await.unwrap_err().code(), codes::HOST_OVERLOADED);
            drop(held);
            assert!(lanes.run(usize::MAX, || ()).await.is_ok());
        });
    }
}
