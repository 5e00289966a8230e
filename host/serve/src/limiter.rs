//! The concurrency limiter: runs calls on threads of their own, few at once, with a bound on their memory together and a short queue. The
//! memory of a call is estimated before it is admitted, and returned to the operating system after large calls.

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

/// The most memory that the engine uses: this many bytes for each byte of its input, and [`BASE`] more. The answer is included.
const TIMES_INPUT: usize = 24;
const BASE: usize = 64 << 20;

/// The size from which a block is large, and from which a call leaves memory to return.
const LARGE: usize = 256 << 10;

/// Returns the bytes that the built-in engine may use for an input of this length.
pub(crate) const fn memory_of_engine(input: usize) -> usize {
    input.saturating_mul(TIMES_INPUT).saturating_add(BASE)
}

/// Returns the bytes that a call of a slot may use: `modules` for the instances and answers of its modules, and as much for the input
/// as the engine, because the host reads it, too. A slot that is not loaded counts as all memory.
pub(crate) fn memory_of_slot(input: usize, modules: Option<usize>) -> usize {
    modules.map_or(usize::MAX, |modules| input.saturating_mul(TIMES_INPUT).saturating_add(modules))
}

/// The number of times that memory is returned after a large call. The second time covers buffers of sockets.
const TIMES: u32 = 2;

/// The number of times that memory is still to be returned.
#[derive(Debug, Default)]
pub(crate) struct FreedMemory(AtomicU32);

impl FreedMemory {
    /// Records an input or an answer of this length.
    pub(crate) fn note(&self, bytes: usize) {
        if bytes >= LARGE {
            self.0.store(TIMES, Ordering::Relaxed);
        }
    }

    /// Returns free memory to the operating system if there was a large call since the last time. It takes milliseconds.
    pub(crate) fn return_memory(&self) {
        let left = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |times| times.checked_sub(1));
        if left.is_ok() {
            trim();
        }
    }
}

/// Makes glibc take each large block from the operating system, and give it back when it is freed. Otherwise glibc
/// raises its threshold when the first block is freed, and takes later blocks of up to 32 MiB from the heaps of
/// threads. There, one small block in use keeps the free memory around it.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn keep_large_blocks_apart() {
    #[expect(
        unsafe_code,
        reason = "a function of C; it takes two numbers, and may be called by any thread at any time"
    )]
    // SAFETY: `mallopt` has no preconditions.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE as libc::c_int);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) const fn keep_large_blocks_apart() {}

/// Gives free memory back to the operating system. Without this, glibc keeps the memory that each thread freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn trim() {
    #[expect(
        unsafe_code,
        reason = "a function of C; it takes no pointer, and may be called by any thread at any time"
    )]
    // SAFETY: `malloc_trim` has no preconditions.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
const fn trim() {}

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
