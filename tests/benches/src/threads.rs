//! Throughput of one thread against that of two, each with calls of its own to the same module.

use std::{
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

use crate::{
    Failure,
    contest::{Effort, median},
};

/// The turns of other contests in one round, which is long because threads must start for it.
const TURNS: u32 = 10;

/// Returns how many times as many calls two threads finish in the same time. With two processors, 2 is the maximum.
pub(crate) fn speedup(
    effort: Effort,
    call: impl Fn() -> Result<usize, Failure> + Sync,
) -> Result<f64, Failure> {
    let turn = effort.turn * TURNS;
    let mut speedups = Vec::new();
    for _ in 0..effort.rounds / TURNS as usize {
        let one = calls_per_second(1, turn, &call)?;
        let two = calls_per_second(2, turn, &call)?;
        speedups.push(two / one);
    }
    Ok(median(speedups))
}

fn calls_per_second(
    threads: usize,
    turn: Duration,
    call: &(impl Fn() -> Result<usize, Failure> + Sync),
) -> Result<f64, Failure> {
    let barrier = Barrier::new(threads);
    let rates = thread::scope(|scope| {
        let work = || -> Result<f64, String> {
            barrier.wait();
            let start = Instant::now();
            let mut calls = 0_u32;
            while start.elapsed() < turn {
                call().map_err(|failure| failure.to_string())?;
                calls += 1;
            }
            Ok(f64::from(calls) / start.elapsed().as_secs_f64())
        };
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running.into_iter().map(thread::ScopedJoinHandle::join).collect::<Vec<_>>()
    });
    let mut sum = 0.0;
    for rate in rates {
        sum += rate.map_err(|_| "a thread panicked")??;
    }
    Ok(sum)
}
