//! The concurrency limiter: runs calls on threads of their own, few at once, with a bound on their memory together and a short queue.

use std::{sync::Arc, time::Duration};

use adjudicate_core::Error;
use tokio::{
    sync::{AcquireError, OwnedSemaphorePermit, Semaphore},
    time::timeout,
};
use tokio_util::task::AbortOnDropHandle;

use crate::codes;

#[derive(Debug)]
pub(crate) struct ConcurrencyLimiter {
    free: Arc<Semaphore>,
    /// The free memory in KiB, one permit each.
    memory: Arc<Semaphore>,
    all_memory: u32,
    /// The free places of the queue.
    queue: Semaphore,
    wait: Duration,
}

/// The right to run a call, with its memory. When the last clone is dropped, another call may run.
#[derive(Clone, Debug)]
pub struct CallPermit {
    _thread_and_memory: Arc<(OwnedSemaphorePermit, OwnedSemaphorePermit)>,
}

impl ConcurrencyLimiter {
    /// Returns a limiter of `threads` running jobs, which together use `memory` bytes, and of `queue` jobs that wait up to `wait`.
    pub(crate) fn new(threads: u32, memory: usize, queue: u32, wait: Duration) -> Self {
        let free = Arc::new(Semaphore::new(threads as usize));
        let all_memory = u32::try_from(memory >> 10).unwrap_or(u32::MAX);
        let memory = Arc::new(Semaphore::new(all_memory as usize));
        Self { free, memory, all_memory, queue: Semaphore::new(queue as usize), wait }
    }

    /// Runs a job that may use this many bytes of memory. Rejects it if the queue is full or no thread becomes free in time. A job that
    /// is dropped while it waits does not run; one that began runs to its end, and keeps its thread until then.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        bytes: usize,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let permit = self.acquire(bytes).await?;
        self.run_on(permit, job).await
    }

    /// Waits for a thread and this many bytes of memory. A job that needs more than all memory gets all of it, and runs alone.
    pub(crate) async fn acquire(&self, bytes: usize) -> Result<CallPermit, Error> {
        let memory = u32::try_from(bytes.div_ceil(1 << 10)).unwrap_or(u32::MAX).min(self.all_memory);
        match Arc::clone(&self.memory).try_acquire_many_owned(memory) {
            Ok(memory) => match Arc::clone(&self.free).try_acquire_owned() {
                Ok(thread) => Ok(CallPermit { _thread_and_memory: Arc::new((thread, memory)) }),
                Err(_) => self.queue_up(async { Ok(memory) }).await,
            },
            Err(_) => self.queue_up(Arc::clone(&self.memory).acquire_many_owned(memory)).await,
        }
    }

    /// Runs a job that has a permit.
    pub(crate) async fn run_on<T: Send + 'static>(
        &self,
        permit: CallPermit,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let job = AbortOnDropHandle::new(tokio::task::spawn_blocking(move || {
            let _held = permit;
            job()
        }));
        job.await.map_err(|_| Error::new(codes::HOST_FAULT, "the call could not be finished"))
    }

    async fn queue_up(
        &self,
        memory: impl Future<Output = Result<OwnedSemaphorePermit, AcquireError>>,
    ) -> Result<CallPermit, Error> {
        let Ok(_place) = self.queue.try_acquire() else {
            return Err(Error::new(codes::HOST_OVERLOADED, "too many calls are waiting; try again"));
        };
        // Memory first: a call that holds memory and waits for a thread then waits only for running calls.
        let both = async {
            let memory = memory.await?;
            let thread = Arc::clone(&self.free).acquire_owned().await?;
            Ok::<_, AcquireError>(CallPermit { _thread_and_memory: Arc::new((thread, memory)) })
        };
        match timeout(self.wait, both).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => {
                let message =
                    format!("no thread or no memory was free within {} ms; try again", self.wait.as_millis());
                Err(Error::new(codes::HOST_OVERLOADED, message))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn a_call_waits_until_a_deadline_and_a_panic_is_an_error() {
        let limiter = ConcurrencyLimiter::new(1, 1 << 20, 1, Duration::ZERO);
        let held = limiter.acquire(1).await.unwrap();
        assert_eq!(limiter.run(1, || ()).await.unwrap_err().code(), codes::HOST_OVERLOADED);
        drop(held);
        let panicked: Result<(), _> = limiter.run(1, || panic!("on purpose")).await;
        assert_eq!(panicked.unwrap_err().code(), codes::HOST_FAULT);
        assert_eq!(limiter.run(1, || 1).await, Ok(1));
    }

    #[tokio::test]
    async fn running_calls_never_exceed_the_memory() {
        const ALL: usize = 10 << 20;
        let limiter = Arc::new(ConcurrencyLimiter::new(8, ALL, 1000, Duration::from_secs(60)));
        let [used, peak, ran] = [(); 3].map(|()| Arc::new(AtomicUsize::new(0)));
        let calls = (0..200).map(|number: usize| {
            let (limiter, used, peak, ran) =
                (Arc::clone(&limiter), Arc::clone(&used), Arc::clone(&peak), Arc::clone(&ran));
            // One call in ten needs more than all memory, and runs alone.
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
                limiter.run(bytes, job).await
            })
        });
        for call in calls.collect::<Vec<_>>() {
            assert_eq!(call.await.unwrap(), Ok(()));
        }
        assert_eq!((peak.load(Ordering::SeqCst), ran.load(Ordering::SeqCst)), (ALL, 200));
        assert_eq!(limiter.memory.available_permits(), ALL >> 10);
    }
}
