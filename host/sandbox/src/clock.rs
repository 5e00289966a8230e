//! Time: the ticker that lets running guests look at the clock, and the clock they look at.

use std::{
    sync::mpsc::{RecvTimeoutError, Sender, channel},
    thread::JoinHandle,
    time::Duration,
};

use adjudicate_core::Error;
use wasmtime::{Engine, UpdateDeadline};

use crate::codes;

/// How often running guests are interrupted to look at the clock.
const TICK: Duration = Duration::from_millis(10);

/// A thread that advances an engine's epoch for as long as this value lives.
#[derive(Debug)]
pub(crate) struct Ticker {
    /// Dropping it ends the thread.
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
            Error::new(codes::HOST_FAULT, format!("no thread for the deadline clock: {error}"))
        })?;
        Ok(Self { alive: Some(alive), thread: Some(thread) })
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.alive = None;
        if let Some(thread) = self.thread.take() {
            // The thread has nothing to report.
            let _ = thread.join();
        }
    }
}

/// The error that ends a call whose computing time is used up.
#[derive(Debug, thiserror::Error)]
#[error("deadline reached")]
pub(crate) struct DeadlineReached;

/// Measures one call against its deadline, at each tick.
///
/// What counts is the time that the thread computed, not the time on the wall: a 20 us call whose thread lay idle
/// for a second is innocent. Reading that clock is a system call, so it is first read at the first tick, which
/// most calls never see; a call may so use one tick more than its deadline.
#[derive(Debug)]
pub(crate) struct Stopwatch {
    deadline: Duration,
    first_reading: Option<Duration>,
}

impl Stopwatch {
    pub(crate) const fn new(deadline: Duration) -> Self {
        Self { deadline, first_reading: None }
    }

    /// Looks at the clock; says after how many ticks to look again, or that the time is up.
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

/// The time that this thread spent computing.
#[cfg(unix)]
fn computing_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// The time on the wall, where threads have no clock of their own.
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
