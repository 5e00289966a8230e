//! The time of an operation by three clocks: elapsed time, computing time of the calling thread, and of all threads.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use rustix::time::{ClockId, clock_gettime};

use crate::{Failure, contest::Run};

/// Returns the time since a fixed moment.
pub(crate) type Clock = fn() -> Duration;

/// The computing time of the calling thread so far.
pub(crate) fn thread_time() -> Duration {
    read(ClockId::ThreadCPUTime)
}

/// The computing time of all threads of this process so far.
pub(crate) fn process_time() -> Duration {
    read(ClockId::ProcessCPUTime)
}

fn read(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    // These clocks begin at zero, and the nanoseconds of a second fit into `u32`.
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Times a number of runs in a row by this clock.
pub(crate) fn by<'a>(clock: Clock, mut operation: impl FnMut() -> Result<usize, Failure> + 'a) -> Run<'a> {
    Box::new(move |times| {
        let start = clock();
        for _ in 0..times {
            black_box(operation()?);
        }
        Ok(clock() - start)
    })
}

/// The time of an operation by two clocks.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) wall: Duration,
    pub(crate) process: Duration,
}

/// Runs an operation, and returns its times.
pub(crate) fn cost<T, E>(run: impl FnOnce() -> Result<T, E>) -> Result<Cost, E> {
    let (wall, process) = (Instant::now(), process_time());
    run()?;
    Ok(Cost { wall: wall.elapsed(), process: process_time() - process })
}
