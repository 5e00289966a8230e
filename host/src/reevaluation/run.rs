//! The loop of a re-evaluation: decides cases in parallel and reports them in order.

use std::{
    borrow::Cow,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use adjudicate_core::Error;

use super::{
    case::{Line, ReevaluationCase},
    comparison::Comparison,
    expectation::Expectation,
    obstacle::Obstacle,
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

/// The result of a case.
enum CaseResult {
    Compared(Comparison, Option<Box<Sample>>),
    Obstacle(Obstacle),
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
            self.report_chunk(&chunk, &mut report)?;
            progress(report.read());
        }
        report.finish();
        Ok(report)
    }

    /// Decides a chunk, compares it and reports it.
    fn report_chunk(&self, chunk: &[SourceItem], report: &mut ReevaluationReport) -> Result<(), Error> {
        let outcomes = self.decide(chunk)?;
        for (step, outcome) in chunk.iter().zip(outcomes) {
            match (step, outcome) {
                (SourceItem::Bad(number, error), _) => report.bad_line(*number, error),
                (SourceItem::Line(Line::Obstacle(number, obstacle)), _) => {
                    report.obstacle(*number, *obstacle)
                }
                (SourceItem::Line(Line::Case(case)), Some(CaseResult::Obstacle(obstacle))) => {
                    report.obstacle(case.number, obstacle);
                }
                (SourceItem::Line(Line::Case(case)), Some(CaseResult::Compared(comparison, sample))) => {
                    report.compare(&comparison, case.recorded.is_some(), sample);
                }
                (SourceItem::Line(Line::Case(case)), None) => {
                    let message = format!("case {} was not decided again", case.number);
                    return Err(Error::new(codes::HOST_FAULT, message));
                }
            }
        }
        Ok(())
    }

    /// Decides the cases of a chunk on all threads. Each thread takes the next case when it is free.
    fn decide(&self, chunk: &[SourceItem]) -> Result<Vec<Option<CaseResult>>, Error> {
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::with_capacity(chunk.len()));
        let work = || {
            let mut mine = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                match chunk.get(at) {
                    Some(SourceItem::Line(Line::Case(case))) => mine.push((at, self.compare(case))),
                    Some(_) => {}
                    None => break,
                }
            }
            done.lock().unwrap_or_else(PoisonError::into_inner).extend(mine);
        };
        thread::scope(|scope| {
            let threads = self.threads.clamp(1, chunk.len().max(1));
            for _ in 0..threads {
                let started = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
                started.map_err(no_thread)?;
            }
            Ok::<(), Error>(())
        })?;
        let mut outcomes: Vec<Option<CaseResult>> = chunk.iter().map(|_| None).collect();
        for (at, outcome) in done.into_inner().unwrap_or_else(PoisonError::into_inner) {
            if let Some(place) = outcomes.get_mut(at) {
                *place = Some(outcome);
            }
        }
        Ok(outcomes)
    }

    /// The version before of a case; `None` if the recorded outcome counts.
    fn version_before(&self, case: &ReevaluationCase) -> Option<&CandidateVersion> {
        match (&self.before, &case.recorded) {
            (Some(before), _) => Some(before),
            (None, Some(_)) => None,
            (None, None) => Some(&self.unrecorded),
        }
    }

    fn compare(&self, case: &ReevaluationCase) -> CaseResult {
        let before = match (self.version_before(case), &case.recorded) {
            (None, Some(recorded)) => Ok(Cow::Borrowed(&recorded.outcome)),
            (version, _) => version.unwrap_or(&self.unrecorded).decide(case).map(Cow::Owned),
        };
        match before.and_then(|before| Ok((before, self.after.decide(case)?))) {
            Err(obstacle) => CaseResult::Obstacle(obstacle),
            Ok((before, after)) => {
                let comparison = Comparison::new(&before, &after);
                let sample = Sample::new(case, &comparison, self.after.is_exact());
                CaseResult::Compared(comparison, sample)
            }
        }
    }
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

fn no_thread(error: std::io::Error) -> Error {
    Error::caused_by(codes::HOST_FAULT, "no thread can be started", error)
}
