//! Timing contestants against one another, so that a noisy machine favours none.
//!
//! All contestants run in every round, each for about the same time, in an order that rotates. A ratio is taken
//! within a round, where both sides met the same machine, and the median of the rounds is the result.

use std::time::{Duration, Instant};

use crate::Failure;

/// Runs an operation a number of times, and returns the time that this took.
pub(crate) type Run<'a> = Box<dyn FnMut(u64) -> Result<Duration, Failure> + 'a>;

/// The length of a measurement.
#[derive(Clone, Copy)]
pub(crate) struct Effort {
    /// The number of rounds: odd, so that there is a median.
    pub(crate) rounds: usize,
    /// The approximate time of each contestant in each round.
    pub(crate) turn: Duration,
}

impl Effort {
    /// The effort of published numbers. Turns are shorter than the time slices of an operating system, so most of them are
    /// not interrupted on a busy machine. Turns are many, so the median is one of the uninterrupted ones.
    pub(crate) const FULL: Self = Self { rounds: 401, turn: Duration::from_millis(2) };
    /// The effort of `--quick`: the ratios are correct to about a tenth.
    pub(crate) const QUICK: Self = Self { rounds: 61, turn: Duration::from_millis(1) };

    /// The same with a part of the rounds, for operations that take many turns.
    pub(crate) fn with_fewer_rounds(self, divisor: usize) -> Self {
        Self { rounds: (self.rounds / divisor) | 1, ..self }
    }
}

/// The number of runs, of which at least one is not interrupted.
const TRIES: usize = 7;

/// A measured operation.
struct Contestant<'a> {
    name: String,
    run: Run<'a>,
    /// The number of runs of the operation in one turn.
    times: u64,
}

/// The contestants of one workload.
pub(crate) struct Contest<'a> {
    effort: Effort,
    contestants: Vec<Contestant<'a>>,
}

/// Microseconds per operation of every contestant, by round.
pub(crate) struct Results {
    columns: Vec<(String, Vec<f64>)>,
}

impl<'a> Contest<'a> {
    pub(crate) fn new(effort: Effort) -> Self {
        Self { effort, contestants: Vec::new() }
    }

    /// Adds a contestant. Its first runs warm caches, and show how many runs fill a turn.
    pub(crate) fn enter(&mut self, name: impl Into<String>, mut run: Run<'a>) -> Result<(), Failure> {
        let mut times = 1;
        // Doubles the runs until the clock's resolution does not matter, then scales them to a turn.
        let took = loop {
            let took = shortest(&mut run, times)?;
            if took * 4 >= self.effort.turn {
                break took;
            }
            times *= 2;
        };
        let per_turn = self.effort.turn.as_secs_f64() / took.as_secs_f64() * times as f64;
        self.contestants.push(Contestant { name: name.into(), run, times: (per_turn as u64).max(1) });
        Ok(())
    }

    /// Runs all rounds.
    pub(crate) fn hold(mut self) -> Result<Results, Failure> {
        let mut columns: Vec<_> = self.contestants.iter().map(|one| (one.name.clone(), Vec::new())).collect();
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

    /// The median over the rounds of the time of `name` divided by the time of `base`.
    pub(crate) fn ratio(&self, name: &str, base: &str) -> f64 {
        median(self.column(name).iter().zip(self.column(base)).map(|(one, base)| one / base).collect())
    }

    fn column(&self, name: &str) -> &[f64] {
        self.columns.iter().find(|(column, _)| column == name).map_or(&[], |(_, values)| values)
    }
}

/// The shortest of some runs. An interrupted run would look long and make all turns of the contestant too short. Short
/// turns do not warm the caches that the other contestants leave cold.
fn shortest(run: &mut Run<'_>, times: u64) -> Result<Duration, Failure> {
    let mut shortest = Duration::MAX;
    for _ in 0..TRIES {
        shortest = shortest.min(run(times)?);
    }
    Ok(shortest)
}

/// The middle value; NaN if there is none, which no table shows as a result.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The geometric mean.
pub(crate) fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    (values.map(f64::ln).sum::<f64>() / count).exp()
}

/// Times `operation` over a number of runs in a row.
pub(crate) fn timed<'a>(mut operation: impl FnMut() -> Result<usize, Failure> + 'a) -> Run<'a> {
    Box::new(move |times| {
        let start = Instant::now();
        for _ in 0..times {
            std::hint::black_box(operation()?);
        }
        Ok(start.elapsed())
    })
}
