//! Asking again: cases in order, many at a time on several threads, results in the order of the cases.

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
    case::{Case, Line, Obstacle},
    comparison::Comparison,
    elsewhere::{no_thread, or_here},
    expectation::Expectation,
    outcome,
    report::Report,
    sample::Sample,
    version::Version,
};
use crate::codes;

/// How many cases are held at once, and how many bytes of them, one case at least.
const CHUNK: usize = 512;
pub(super) const CHUNK_BYTES: usize = 16 << 20;

/// Guest code runs on these threads.
const STACK_BYTES: usize = 8 << 20;

/// What a source gives: a line or a record, or a line that is neither.
#[derive(Debug)]
pub enum Step {
    /// A line that was read.
    Line(Line),
    /// A line that could not be read: its number, and why.
    Bad(u64, Error),
}

/// Who is asked, and how.
///
/// ```
/// use adjudicate_core::{Operation, Policy};
/// use adjudicate_host::reevaluation::{Reevaluation, Step, Version, read_line};
///
/// # let envelope = r#"{"run_id":"r","workflow_id":"w","step_id":"s","evaluate_prompt":"p.v1","allowed_next_steps":["publish"],"provenance_window":[],"evidence":{"transcript_summary":"","workspace_diff_summary":" M src/lib.rs\n","validation":{"mechanical_outcome":"completed","exit_codes":{"test":0},"timeouts":[]},"artifacts":[],"policy_events":[]}}"#;
/// let strict = Policy::parse(br#"{"policy": "strict", "version": "1.0.0", "forbidden_paths": ["src/**"]}"#)?;
/// let again = Reevaluation { before: None, unrecorded: Version::Engine, after: Version::Policy(Box::new(strict)), threads: 2, samples: 5,
///     expectations: vec!["success->*".parse()?], least: 1 };
/// let lines = [envelope, "no JSON"];
/// let steps = lines.iter().zip(1..).map(|(line, number)| match read_line(number, line.as_bytes(), Operation::Evaluate) {
///     Ok(line) => Ok(Step::Line(line)),
///     Err(error) => Ok(Step::Bad(number, error)),
/// });
/// let report = again.run(steps, |_| {})?;
/// assert_eq!((report.compared(), report.bad_lines(), report.is_failed()), (1, 1, true));
/// let transitions: Vec<_> = report.transitions().map(|(from, to, count)| (from.as_str(), to.as_str(), count)).collect();
/// assert_eq!(transitions, [("success", "unsafe", 1)]);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reevaluation {
    /// Who is asked for the side before; without it, what was recorded counts.
    pub before: Option<Version>,
    /// Who is asked for the side before of a call that has no record, where nobody else is.
    pub unrecorded: Version,
    /// Who is asked for the side after.
    pub after: Version,
    /// How many threads ask.
    pub threads: usize,
    /// How many changed cases are shown for each pair of statuses.
    pub samples: usize,
    /// Which changes are counted as not wanted.
    pub expectations: Vec<Expectation>,
    /// How many cases must be compared at least: of nothing it says nothing that nothing changed.
    pub least: u64,
}

/// What others made of a case.
#[derive(Debug, Default)]
pub(super) struct Given {
    pub(super) before: Option<outcome::Outcome>,
    pub(super) after: Option<outcome::Outcome>,
}

/// What became of a case.
enum Outcome {
    Compared(Comparison, Option<Box<Sample>>),
    Obstacle(Obstacle),
}

impl Reevaluation {
    /// Asks for every case, and reports. `progress` is told how many cases were done, from time to time.
    ///
    /// # Errors
    ///
    /// Those of the source; [`codes::HOST_FAULT`] when no thread can be started. What is wrong with single lines is in the report.
    pub fn run(
        &self,
        mut steps: impl Iterator<Item = Result<Step, Error>>,
        mut progress: impl FnMut(u64),
    ) -> Result<Report, Error> {
        let mut report = self.begin();
        loop {
            let chunk = read_chunk(&mut steps, CHUNK, CHUNK_BYTES)?;
            if chunk.is_empty() {
                break;
            }
            self.tell(&chunk, &[], &mut report)?;
            progress(report.read());
        }
        report.finish();
        Ok(report)
    }

    /// A report of nothing yet.
    pub(super) fn begin(&self) -> Report {
        Report::new(self.samples, self.after.is_exact(), self.least, &self.expectations)
    }

    /// Decides what nobody gave of the cases of a chunk, compares, and reports.
    pub(super) fn tell(&self, chunk: &[Step], given: &[Given], report: &mut Report) -> Result<(), Error> {
        let outcomes = self.decide(chunk, given)?;
        for (step, outcome) in chunk.iter().zip(outcomes) {
            match (step, outcome) {
                (Step::Bad(number, error), _) => report.bad_line(*number, error),
                (Step::Line(Line::Obstacle(number, obstacle)), _) => report.obstacle(*number, *obstacle),
                (Step::Line(Line::Case(case)), Some(Outcome::Obstacle(obstacle))) => {
                    report.obstacle(case.number, obstacle);
                }
                (Step::Line(Line::Case(case)), Some(Outcome::Compared(comparison, sample))) => {
                    report.compare(&comparison, case.recorded.is_some(), sample);
                }
                (Step::Line(Line::Case(case)), None) => {
                    let message = format!("nobody decided case {} again", case.number);
                    return Err(Error::new(codes::HOST_FAULT, message));
                }
            }
        }
        Ok(())
    }

    /// Decides the cases of a chunk, on all threads: whoever is free takes the next one.
    fn decide(&self, chunk: &[Step], given: &[Given]) -> Result<Vec<Option<Outcome>>, Error> {
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::with_capacity(chunk.len()));
        let work = || {
            let mut mine = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                match chunk.get(at) {
                    Some(Step::Line(Line::Case(case))) => mine.push((at, self.compare(case, given.get(at)))),
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
        let mut outcomes: Vec<Option<Outcome>> = chunk.iter().map(|_| None).collect();
        for (at, outcome) in done.into_inner().unwrap_or_else(PoisonError::into_inner) {
            if let Some(place) = outcomes.get_mut(at) {
                *place = Some(outcome);
            }
        }
        Ok(outcomes)
    }

    /// Who is asked for the side before of a case; nobody where what was recorded counts.
    pub(super) fn who_before(&self, case: &Case) -> Option<&Version> {
        match (&self.before, &case.recorded) {
            (Some(before), _) => Some(before),
            (None, Some(_)) => None,
            (None, None) => Some(&self.unrecorded),
        }
    }

    fn compare(&self, case: &Case, given: Option<&Given>) -> Outcome {
        let here = |version: &Version| version.decide(case).map(Cow::Owned);
        let before = match (self.who_before(case), &case.recorded) {
            (None, Some(recorded)) => Ok(Cow::Borrowed(&recorded.outcome)),
            (who, _) => {
                let given = given.and_then(|given| given.before.as_ref());
                or_here(given, || here(who.unwrap_or(&self.unrecorded)))
            }
        };
        let after = || or_here(given.and_then(|given| given.after.as_ref()), || here(&self.after));
        let sides = before.and_then(|before| Ok((before, after()?)));
        match sides {
            Err(obstacle) => Outcome::Obstacle(obstacle),
            Ok((before, after)) => {
                let comparison = Comparison::of(&before, &after);
                let sample = Sample::of(case, &comparison, self.after.is_exact());
                Outcome::Compared(comparison, sample)
            }
        }
    }
}

/// The next cases: so many, or so many bytes of them, one at least; none at the end.
pub(super) fn read_chunk(
    steps: &mut impl Iterator<Item = Result<Step, Error>>,
    most: usize,
    most_bytes: usize,
) -> Result<Vec<Step>, Error> {
    let mut chunk = Vec::new();
    let mut bytes = 0;
    while chunk.len() < most && bytes < most_bytes {
        let Some(step) = steps.next() else { break };
        let step = step?;
        if let Step::Line(Line::Case(case)) = &step {
            bytes += case.input.len();
            bytes += case.recorded.as_ref().map_or(0, |recorded| recorded.outcome.text.len());
        }
        chunk.push(step);
    }
    Ok(chunk)
}
