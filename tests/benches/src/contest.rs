//! Timing several contestants against one another so that a noisy machine favours none.
//!
//! All contestants run in every round, each for about the same time, in an order that rotates. A ratio is taken
//! within a round, where both sides met the same machine, and the median of the rounds is the result.

use std::time::{Duration, Instant};

use crate::Failure;

/// Runs an operation so many times, and says how long that took.
pub(crate) type Run<'a> = Box<dyn FnMut(u64) -> Result<Duration, Failure> + 'a>;

/// How long and how often is measured.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    /// How many rounds: odd, so that there is a median.
    pub(crate) rounds: usize,
    /// About how long each contestant runs in each round.
    pub(crate) turn: Duration,
}

/// How many runs it takes to be sure that one was not interrupted.
const TRIES: usize = 7;

/// Somebody who takes part.
struct Contestant<'a> {
    name: &'static str,
    run: Run<'a>,
    /// How often the operation runs in one turn.
    times: u64,
}

/// The contestants of one workload.
pub(crate) struct Contest<'a> {
    effort: Effort,
    contestants: Vec<Contestant<'a>>,
}

/// Microseconds per operation, by round, of every contestant.
pub(crate) struct Results {
    columns: Vec<(&'static str, Vec<f64>)>,
}

impl<'a> Contest<'a> {
    pub(crate) fn new(effort: Effort) -> Self {
        Self { effort, contestants: Vec::new() }
    }

    /// Adds somebody, after some first runs that warm caches and tell how many runs fill a turn.
    pub(crate) fn enter(&mut self, name: &'static str, mut run: Run<'a>) -> Result<(), Failure> {
        let mut times = 1;
        // What is long enough to be told from the clock's own grain is scaled up to a turn.
        let took = loop {
            let took = shortest(&mut run, times)?;
            if took * 4 >= self.effort.turn {
                break took;
            }
            times *= 2;
        };
        let per_turn = self.effort.turn.as_secs_f64() / took.as_secs_f64() * times as f64;
        self.contestants.push(Contestant { name, run, times: (per_turn as u64).max(1) });
        Ok(())
    }

    /// Runs all rounds.
    pub(crate) fn hold(mut self) -> Result<Results, Failure> {
        let mut columns: Vec<_> = self.contestants.iter().map(|one| (one.name, Vec::new())).collect();
        for round in 0..self.effort.rounds {
            let count = self.contestants.len();
            for turn in 0..count {
                let place = (round + turn) % count;
                let (Some(one), Some((_, column))) =
                    (self.contestants.get_mut(place), columns.get_mut(place))
                else {
                    continue;
                };
                column.push((one.run)(one.times)?.as_secs_f64() * 1e6 / one.times as f64);
            }
        }
        Ok(Results { columns })
    }
}

impl Results {
    /// Median microseconds of one operation.
    pub(crate) fn micros(&self, name: &str) -> f64 {
        median(self.column(name).to_vec())
    }

    /// Median over the rounds of how much longer `name` takes than `base`.
    pub(crate) fn ratio(&self, name: &str, base: &str) -> f64 {
        median(self.column(name).iter().zip(self.column(base)).map(|(one, base)| one / base).collect())
    }

    fn column(&self, name: &str) -> &[f64] {
        self.columns.iter().find(|(column, _)| *column == name).map_or(&[], |(_, values)| values)
    }
}

/// The shortest of some runs: an interruption must not pass for the time that a run takes, for then all turns of the
/// contestant would be too short to warm the caches that the others leave cold.
fn shortest(run: &mut Run<'_>, times: u64) -> Result<Duration, Failure> {
    let mut shortest = Duration::MAX;
    for _ in 0..TRIES {
        shortest = shortest.min(run(times)?);
    }
    Ok(shortest)
}

/// The middle value; NaN, which no table would show as a result, of nothing.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The geometric mean.
pub(crate) fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    (values.map(f64::ln).sum::<f64>() / count).exp()
}

/// Times `operation`, run so many times in a row.
pub(crate) fn timed<'a>(mut operation: impl FnMut() -> Result<usize, Failure> + 'a) -> Run<'a> {
    Box::new(move |times| {
        let start = Instant::now();
        for _ in 0..times {
            std::hint::black_box(operation()?);
        }
        Ok(start.elapsed())
    })
}
