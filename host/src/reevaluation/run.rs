//! The loop of a re-evaluation: decides cases in parallel and reports them in order.

use std::{
    borrow::Cow,
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
};

use adjudicate_core::Error;

use super::{
    case::{Line, ReevaluationCase},
    comparison::{Comparison, Expectation},
    outcome::Obstacle,
    report::ReevaluationReport,
    sample::Sample,
    version::CandidateVersion,
};
use crate::codes;

/// Bounds on the cases in memory: their number and their bytes, but at least one case.
const CHUNK: usize = 512;
const CHUNK_BYTES: usize = 16 << 20;

/// Stack of the threads, on which guest code runs.
const STACK_BYTES: usize = 8 << 20;

/// The next item of a source.
#[derive(Debug)]
pub enum SourceItem {
    /// A line or record.
    Line(Line),
    /// An unreadable line: its number and the error.
    Bad(u64, Error),
}

/// The settings of a re-evaluation.
///
/// ```
/// use adjudicate_core::{Operation, Policy};
/// use adjudicate_host::reevaluation::{CandidateVersion, Reevaluation, SourceItem, read_line};
///
/// # let envelope = r#"{"run_id":"r","workflow_id":"w","step_id":"s","evaluate_prompt":"p.v1","allowed_next_steps":["publish"],"provenance_window":[],"evidence":{"transcript_summary":"","workspace_diff_summary":" M src/lib.rs\n","validation":{"mechanical_outcome":"completed","exit_codes":{"test":0},"timeouts":[]},"artifacts":[],"policy_events":[]}}"#;
/// let strict = Policy::parse(br#"{"policy": "strict", "version": "1.0.0", "forbidden_paths": ["src/**"]}"#)?;
/// let after = CandidateVersion::Policy(Box::new(strict));
/// let again = Reevaluation { before: None, unrecorded: CandidateVersion::Engine, after, threads: 2, samples: 5,
///     expectations: vec!["success->*".parse()?], least: 1 };
/// let lines = [envelope, "no JSON"];
/// let steps = lines.iter().zip(1..).map(|(line, number)| match read_line(number, line.as_bytes(), Operation::Evaluate) {
///     Ok(line) => Ok(SourceItem::Line(line)),
///     Err(error) => Ok(SourceItem::Bad(number, error)),
/// });
/// let report = again.run(steps, |_| {})?;
/// assert_eq!((report.compared(), report.bad_lines(), report.is_failed()), (1, 1, true));
/// let transitions: Vec<_> = report.transitions().map(|(from, to, count)| (from.as_str(), to.as_str(), count)).collect();
/// assert_eq!(transitions, [("success", "unsafe", 1)]);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reevaluation {
    /// The version before. Without it, the recorded outcome counts.
    pub before: Option<CandidateVersion>,
    /// The version before of a case without a record, if `before` is not set.
    pub unrecorded: CandidateVersion,
    /// The version after.
    pub after: CandidateVersion,
    /// The number of threads.
    pub threads: usize,
    /// The number of samples for each pair of statuses.
    pub samples: usize,
    /// The forbidden changes.
    pub expectations: Vec<Expectation>,
    /// The required number of compared cases, because a comparison of nothing finds no changes.
    pub least: u64,
}

enum ItemResult<'s> {
    Bad(u64, &'s Error),
    Obstacle(u64, Obstacle),
    Compared { comparison: Comparison, is_recorded: bool, sample: Option<Box<Sample>> },
}

impl Reevaluation {
    /// Decides and compares every case, and returns the report. Calls `progress` now and then with the number of finished cases.
    ///
    /// # Errors
    ///
    /// Those of the source; [`codes::HOST_FAULT`] if no thread can be started. Errors of single lines are in the report.
    pub fn run(
        &self,
        mut steps: impl Iterator<Item = Result<SourceItem, Error>>,
        mut progress: impl FnMut(u64),
    ) -> Result<ReevaluationReport, Error> {
        let mut report =
            ReevaluationReport::new(self.samples, self.after.is_exact(), self.least, &self.expectations);
        loop {
            let chunk = read_chunk(&mut steps)?;
            if chunk.is_empty() {
                break;
            }
            for result in self.decide(&chunk)? {
                match result {
                    ItemResult::Bad(number, error) => report.bad_line(number, error),
                    ItemResult::Obstacle(number, obstacle) => report.obstacle(number, obstacle),
                    ItemResult::Compared { comparison, is_recorded, sample } => {
                        report.compare(&comparison, is_recorded, sample);
                    }
                }
            }
            progress(report.read());
        }
        report.finish();
        Ok(report)
    }

    /// Decides the cases of a chunk on all threads. Each thread takes the next item when it is free.
    fn decide<'s>(&self, chunk: &'s [SourceItem]) -> Result<Vec<ItemResult<'s>>, Error> {
        let items = Mutex::new(chunk.iter().enumerate());
        let done = Mutex::new(Vec::with_capacity(chunk.len()));
        let work = || {
            loop {
                let next = lock(&items).next();
                let Some((at, item)) = next else { break };
                let result = self.result(item);
                lock(&done).push((at, result));
            }
        };
        thread::scope(|scope| {
            let threads = self.threads.clamp(1, chunk.len().max(1));
            for _ in 0..threads {
                let started = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
                started.map_err(|error| {
                    Error::caused_by(codes::HOST_FAULT, "no thread can be started", error)
                })?;
            }
            Ok::<(), Error>(())
        })?;
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_unstable_by_key(|(at, _)| *at);
        Ok(done.into_iter().map(|(_, result)| result).collect())
    }

    fn result<'s>(&self, item: &'s SourceItem) -> ItemResult<'s> {
        match item {
            SourceItem::Bad(number, error) => ItemResult::Bad(*number, error),
            SourceItem::Line(Line::Obstacle(number, obstacle)) => ItemResult::Obstacle(*number, *obstacle),
            SourceItem::Line(Line::Case(case)) => match self.compare(case) {
                Err(obstacle) => ItemResult::Obstacle(case.number, obstacle),
                Ok(comparison) => {
                    let sample = Sample::new(case, &comparison, self.after.is_exact());
                    ItemResult::Compared { comparison, is_recorded: case.recorded.is_some(), sample }
                }
            },
        }
    }

    fn compare(&self, case: &ReevaluationCase) -> Result<Comparison, Obstacle> {
        let before = match (&self.before, &case.recorded) {
            (Some(before), _) => Cow::Owned(before.decide(case)?),
            (None, Some(recorded)) => Cow::Borrowed(&recorded.outcome),
            (None, None) => Cow::Owned(self.unrecorded.decide(case)?),
        };
        Ok(Comparison::new(&before, &self.after.decide(case)?))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads the next cases up to a number or a size, but at least one. Returns none at the end.
fn read_chunk(steps: &mut impl Iterator<Item = Result<SourceItem, Error>>) -> Result<Vec<SourceItem>, Error> {
    let mut chunk = Vec::new();
    let mut bytes = 0;
    while chunk.len() < CHUNK && bytes < CHUNK_BYTES {
        let Some(step) = steps.next() else { break };
        let step = step?;
        if let SourceItem::Line(Line::Case(case)) = &step {
            bytes += case.input.len();
            bytes += case.recorded.as_ref().map_or(0, |recorded| recorded.outcome.text.len());
        }
        chunk.push(step);
    }
    Ok(chunk)
}
