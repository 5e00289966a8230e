//! Where calls are computed: on threads beside those that wait for sockets, few at once, and with a short queue.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use adjudicate_core::{Error, ErrorCode};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::JoinHandle,
    time::timeout,
};

#[derive(Debug)]
pub(crate) struct Lanes {
    free: Arc<Semaphore>,
    waiting: AtomicU32,
    queue: u32,
    wait: Duration,
}

/// The right to compute; given back when dropped.
#[derive(Debug)]
pub(crate) struct Lane(OwnedSemaphorePermit);

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
    pub(crate) fn new(lanes: u32, queue: u32, wait: Duration) -> Self {
        let free = Arc::new(Semaphore::new(lanes as usize));
        Self { free, waiting: AtomicU32::new(0), queue, wait }
    }

    /// Computes, or refuses to where too many wait already or a lane takes too long to come free. What is dropped while it
    /// waits is not computed; what began is finished, and holds its lane until then, whoever left.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let lane = self.turn().await?;
        self.run_on(lane, job).await
    }

    /// A lane, free now or soon.
    pub(crate) async fn turn(&self) -> Result<Lane, Error> {
        match Arc::clone(&self.free).try_acquire_owned() {
            Ok(lane) => Ok(Lane(lane)),
            Err(_) => self.queue_up().await.map(Lane),
        }
    }

    /// Computes on a lane.
    pub(crate) async fn run_on<T: Send + 'static>(
        &self,
        lane: Lane,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let mut job = Job(tokio::task::spawn_blocking(move || {
            let Lane(_held) = lane;
            job()
        }));
        (&mut job.0).await.map_err(|_| Error::new(ErrorCode::HostFault, "the call could not be finished"))
    }

    async fn queue_up(&self) -> Result<OwnedSemaphorePermit, Error> {
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= self.queue {
            drop(Place(&self.waiting));
            return Err(Error::new(ErrorCode::HostOverloaded, "too many calls wait already; try again"));
        }
        let _place = Place(&self.waiting);
        match timeout(self.wait, Arc::clone(&self.free).acquire_owned()).await {
            Ok(Ok(lane)) => Ok(lane),
            _ => {
                let message = format!("no lane was free within {} ms; try again", self.wait.as_millis());
                Err(Error::new(ErrorCode::HostOverloaded, message))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
    }

    #[test]
    fn who_finds_the_queue_full_is_refused_and_who_leaves_is_not_computed() {
        runtime().block_on(async {
            let lanes = Arc::new(Lanes::new(1, 1, Duration::from_secs(60)));
            let (release, held) = channel::<()>();
            let first = tokio::spawn({
                let lanes = Arc::clone(&lanes);
                async move { lanes.run(move || held.recv().is_ok()).await }
            });
            while lanes.free.available_permits() > 0 {
                tokio::task::yield_now().await;
            }
            let (ran, was_run) = channel::<()>();
            let second = tokio::spawn({
                let lanes = Arc::clone(&lanes);
                async move { lanes.run(move || ran.send(())).await.map(drop) }
            });
            while lanes.waiting.load(Ordering::Relaxed) == 0 {
                tokio::task::yield_now().await;
            }
            assert_eq!(lanes.run(|| ()).await.unwrap_err().code(), ErrorCode::HostOverloaded);
            second.abort();
            assert!(second.await.is_err());
            assert_eq!(lanes.waiting.load(Ordering::Relaxed), 0);
            release.send(()).unwrap();
            assert_eq!(first.await.unwrap(), Ok(true));
            assert_eq!(lanes.run(|| 7).await, Ok(7));
            assert!(was_run.try_recv().is_err());
        });
    }

    #[test]
    fn the_queue_has_a_deadline_and_a_panic_is_an_error() {
        runtime().block_on(async {
            let lanes = Lanes::new(1, 1, Duration::ZERO);
            let held = Arc::clone(&lanes.free).acquire_owned().await.unwrap();
            assert_eq!(lanes.run(|| ()).await.unwrap_err().code(), ErrorCode::HostOverloaded);
            drop(held);
            assert_eq!(
                lanes.run(|| panic!("on purpose")).await.map(|(): ()| ()).unwrap_err().code(),
                ErrorCode::HostFault
            );
            assert_eq!(lanes.run(|| 1).await, Ok(1));
        });
    }
}
