//! Runs of a case in the sandbox.

use std::time::{Duration, Instant};

use adjudicate_core::{Error, Operation};
use adjudicate_sandbox::{CallError, Module};

use super::{cases::Input, progress::Bar};
use crate::{codes, environment::Environment};

/// The most runs of a case.
const MAX_RUNS: usize = 10_000;

/// The measurements of one case.
#[derive(Debug)]
pub(super) struct Measured {
    /// The fuel of a run, which is the same for each.
    pub(super) fuel: u64,
    /// The size of the memory after a run. A memory never shrinks, so this is its largest size.
    pub(super) memory_bytes: u64,
    /// The times of all runs, sorted.
    pub(super) times: Vec<Duration>,
    /// The code of the error instead of an answer.
    pub(super) error: Option<String>,
    /// True if the module failed: a limit, a trap or a broken contract.
    pub(super) is_fault: bool,
}

/// Measures all cases in a number of seconds, each at least once.
pub(super) fn all(
    module: &Module,
    inputs: &[Input],
    seconds: u64,
    hides_progress: bool,
    env: &Environment,
) -> Result<Vec<Measured>, Error> {
    let bar = Bar::new(inputs.len(), hides_progress, env);
    let share = Duration::from_secs(seconds) / u32::try_from(inputs.len()).unwrap_or(u32::MAX);
    let measured = inputs.iter().map(|input| {
        bar.begin(&input.name);
        Measured::new(module, input.text.as_bytes(), share)
    });
    measured.collect()
}

impl Measured {
    /// Measures a case for a time. Each run has an instance of its own, as a call has.
    fn new(module: &Module, input: &[u8], time: Duration) -> Result<Self, Error> {
        let end = Instant::now() + time;
        let mut measured = Self::run(module, input)?;
        // A failed call stays one.
        while measured.times.len() < MAX_RUNS && Instant::now() < end && !measured.is_fault {
            measured.times.extend(Self::run(module, input)?.times);
        }
        measured.times.sort_unstable();
        Ok(measured)
    }

    fn run(module: &Module, input: &[u8]) -> Result<Self, Error> {
        let began = Instant::now();
        let mut guest = module.start()?;
        let outcome = guest.call(Operation::Evaluate, input);
        let took = began.elapsed();
        let (error, is_fault) = match outcome {
            Ok(_) => (None, false),
            Err(CallError::Fault(error)) if error.code() == codes::HOST_FAULT => return Err(error),
            Err(error) => {
                let is_fault = matches!(error, CallError::Fault(_));
                (Some(error.code().to_owned()), is_fault)
            }
        };
        Ok(Self {
            fuel: guest.fuel_used(),
            memory_bytes: guest.memory_bytes()? as u64,
            times: vec![took],
            error,
            is_fault,
        })
    }

    /// Returns the time that a share of the runs, in percent, does not exceed.
    pub(super) fn percentile(&self, percent: usize) -> Duration {
        let rank = (self.times.len() * percent).div_ceil(100);
        self.times.get(rank.saturating_sub(1)).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_the_time_of_a_run() {
        let of = |count: u64, percent| {
            let times = (1..=count).map(Duration::from_nanos).collect();
            let measured = Measured { fuel: 0, memory_bytes: 0, times, error: None, is_fault: false };
            measured.percentile(percent).as_nanos()
        };
        assert_eq!(
            [of(1, 50), of(1, 99), of(2, 50), of(3, 50), of(100, 99), of(101, 99)],
            [1, 1, 1, 2, 99, 100]
        );
    }
}
