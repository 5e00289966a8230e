//! What something costs by three clocks: the one on the wall, what the calling thread computes, and what all threads do.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use rustix::time::{ClockId, clock_gettime};

use crate::{Failure, contest::Run};

/// The time since some moment that stays the same.
pub(crate) type Clock = fn() -> Duration;

/// What the calling thread has computed up to now.
pub(crate) fn thread_time() -> Duration {
    read(ClockId::ThreadCPUTime)
}

/// What the threads of this process have computed up to now.
pub(crate) fn process_time() -> Duration {
    read(ClockId::ProcessCPUTime)
}

fn read(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    // These clocks begin at zero, and a second has fewer nanoseconds than `u32` has numbers.
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Times an operation, run so many times in a row, by that clock.
pub(crate) fn by<'a>(clock: Clock, mut operation: impl FnMut() -> Result<usize, Failure> + 'a) -> Run<'a> {
    Box::new(move |times| {
        let start = clock();
        for _ in 0..times {
            black_box(operation()?);
        }
        Ok(clock() - start)
    })
}

/// What something cost.
#[derive(Clone, Copy)]
pub(crate) struct Cost {
    pub(crate) wall: Duration,
    pub(crate) process: Duration,
}

/// Does it, and says what that cost.
pub(crate) fn cost<T, E>(run: impl FnOnce() -> Result<T, E>) -> Result<Cost, E> {
    let (wall, process) = (Instant::now(), process_time());
    run()?;
    Ok(Cost { wall: wall.elapsed(), process: process_time() - process })
}
