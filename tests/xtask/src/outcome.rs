//! The outcome of a step.

use std::time::Duration;

use crate::{failure::Failure, tally::Tally};

/// The outcome of a step.
pub(crate) struct Outcome {
    pub(crate) name: &'static str,
    /// The tests that the step ran. A step without counts is one test.
    pub(crate) tally: Tally,
    pub(crate) failure: Option<Failure>,
    pub(crate) time: Duration,
}

impl Outcome {
    pub(crate) fn new(
        name: &'static str,
        mut tally: Tally,
        failure: Option<Failure>,
        time: Duration,
    ) -> Self {
        if failure.is_some() && tally.failed == 0 {
            tally.failed = 1;
        }
        Self { name, tally, failure, time }
    }
}
