//! The deadline of calls: the ticker that interrupts running guests, and the clock that is read at each interruption.

use std::{
    sync::mpsc::{RecvTimeoutError, Sender, channel},
    thread::JoinHandle,
    time::Duration,
};

use adjudicate_core::Error;
use wasmtime::{Engine, UpdateDeadline};

use crate::codes;

/// The interval at which running guests are interrupted to read the clock.
const TICK: Duration = Duration::from_millis(10);

/// A thread that advances an engine's epoch until this value is dropped.
#[derive(Debug)]
pub(crate) struct Ticker {
    /// Dropping the sender ends the thread.
    alive: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    pub(crate) fn start(engine: &Engine) -> Result<Self, Error> {
        let (alive, dropped) = channel::<()>();
        let engine = engine.weak();
        let tick = move || {
            while dropped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                let Some(engine) = engine.upgrade() else { return };
                engine.increment_epoch();
            }
        };
        let thread = std::thread::Builder::new().name("adjudicate-ticker".to_owned()).spawn(tick);
        let thread = thread.map_err(|error| {
            Error::caused_by(codes::HOST_FAULT, "no thread for the deadline clock", error)
        })?;
        Ok(Self { alive: Some(alive), thread: Some(thread) })
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.alive = None;
        if let Some(thread) = self.thread.take() {
            // The thread has no result.
            let _ = thread.join();
        }
    }
}

/// The error that ends a call whose computing time is over.
#[derive(Debug, thiserror::Error)]
#[error("deadline reached")]
pub(crate) struct DeadlineReached;

/// Measures one call against its deadline at each tick.
///
/// The deadline limits the computing time of the thread, not wall-clock time: a call of 20 us on a thread that was suspended for
/// a second is within its deadline. Reading that clock is a system call, so the first tick reads it first. Most calls end before
/// that tick. A call may therefore use one tick more than its deadline.
#[derive(Debug)]
pub(crate) struct Stopwatch {
    deadline: Duration,
    first_reading: Option<Duration>,
}

impl Stopwatch {
    pub(crate) const fn new(deadline: Duration) -> Self {
        Self { deadline, first_reading: None }
    }

    /// Reads the clock. Returns the number of ticks until the next reading, or an error when the time is over.
    pub(crate) fn look(&mut self) -> wasmtime::Result<UpdateDeadline> {
        let now = computing_time();
        let used = now.saturating_sub(*self.first_reading.get_or_insert(now));
        let left = self.deadline.saturating_sub(used);
        if left.is_zero() {
            return Err(DeadlineReached.into());
        }
        let ticks = left.as_nanos().div_ceil(TICK.as_nanos());
        Ok(UpdateDeadline::Continue(u64::try_from(ticks).unwrap_or(u64::MAX)))
    }
}

/// The computing time of this thread.
#[cfg(unix)]
fn computing_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Wall-clock time, for systems on which threads have no clock of their own.
#[cfg(not(unix))]
fn computing_time() -> Duration {
    use std::{sync::LazyLock, time::Instant};
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_that_was_not_computed_does_not_count() {
        let mut watch = Stopwatch::new(Duration::from_secs(1));
        assert!(watch.look().is_ok());
        std::thread::sleep(Duration::from_millis(1100));
        assert!(watch.look().is_ok());
    }

    #[test]
    fn computed_time_counts() {
        let mut watch = Stopwatch::new(Duration::from_millis(1));
        assert!(watch.look().is_ok());
        while watch.look().is_ok() {}
        assert!(watch.look().is_err_and(|error| error.is::<DeadlineReached>()));
    }
}
