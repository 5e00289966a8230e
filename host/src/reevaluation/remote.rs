//! Re-evaluation on other hosts, in batches. Comparison and report stay on this host, so the report does not depend on the host
//! that decides.

use std::{
    thread,
    time::{Duration, Instant},
};

use adjudicate_core::Error;

use super::{
    case::{Case, Line},
    description::Description,
    outcome::{Outcome, is_beside_modules},
    report::Report,
    run::{CHUNK_BYTES, Reevaluation, RemoteOutcomes, Step, no_thread, read_chunk},
    version::Version,
};
use crate::codes;

/// Bounds on the number of cases in a batch. If a batch is decided quickly, the next one is larger, so that all hosts have work. If
/// it is slow, the next one is smaller, so that the progress is visible.
const FEWEST: usize = 128;
const FIRST: usize = 512;
const MOST: usize = 4096;
const QUICK: Duration = Duration::from_millis(500);
const SLOW: Duration = Duration::from_secs(4);

/// A case and the version that decides it.
#[derive(Clone, Debug)]
pub struct RemoteCase<'a> {
    /// The version.
    pub by: Description,
    /// The case.
    pub case: &'a Case,
}

/// A service that decides cases on other hosts. It is called on a thread that may wait.
pub trait RemoteDecider: Sync {
    /// Decides these cases. Call `take` with the index of a case and its outcome, in any order. If a case has several outcomes, the
    /// first counts.
    ///
    /// This host decides a case itself if there is no outcome, if the deciding host reports an error of its own, or if the slot
    /// handles the error.
    ///
    /// # Errors
    ///
    /// An error if no host decides, for example [`cluster_fault`](crate::codes::CLUSTER_FAULT). Then there is no report.
    fn decide(&self, cases: &[RemoteCase<'_>], take: &mut dyn FnMut(usize, Outcome)) -> Result<(), Error>;
}

impl Reevaluation {
    /// Does the same as [`run`](Self::run), with the same report byte for byte, but other hosts decide. While they decide a batch,
    /// this host compares the previous one.
    ///
    /// # Errors
    ///
    /// Those of [`run`](Self::run) and of [`RemoteDecider::decide`].
    ///
    /// ```
    /// use adjudicate_core::{Error, Operation};
    /// use adjudicate_host::reevaluation::{RemoteCase, RemoteDecider, Outcome, Reevaluation, Step, Version, read_line};
    ///
    /// /// A neighbor with an engine of the same version.
    /// struct Neighbour;
    ///
    /// impl RemoteDecider for Neighbour {
    ///     fn decide(&self, cases: &[RemoteCase<'_>], take: &mut dyn FnMut(usize, Outcome)) -> Result<(), Error> {
    ///         for (place, RemoteCase { case, .. }) in cases.iter().enumerate() {
    ///             if let Ok(answer) = case.operation.call(case.input.as_bytes()) {
    ///                 take(place, Outcome::answered(case.operation, answer));
    ///             }
    ///         }
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let again = Reevaluation { before: None, unrecorded: Version::Engine, after: Version::Engine, threads: 1, samples: 0,
    ///     expectations: Vec::new(), least: 0 };
    /// let step = || Ok(Step::Line(read_line(1, br#"{"diagnostics":[]}"#, Operation::MergeDiagnostics)?));
    /// let report = again.run_remotely([step()].into_iter(), &Neighbour, |_| {})?;
    /// assert_eq!(report.compared(), 1);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn run_remotely(
        &self,
        mut steps: impl Iterator<Item = Result<Step, Error>>,
        remote: &dyn RemoteDecider,
        mut progress: impl FnMut(u64),
    ) -> Result<Report, Error> {
        let mut report = self.begin();
        let mut decided: Option<(Vec<Step>, Vec<RemoteOutcomes>)> = None;
        let mut many = FIRST;
        loop {
            let chunk = read_chunk(&mut steps, many, CHUNK_BYTES)?;
            let began = Instant::now();
            let outcomes = thread::scope(|scope| {
                let decide_remotely = || self.decide_remotely(&chunk, remote);
                let thread =
                    (!chunk.is_empty()).then(|| thread::Builder::new().spawn_scoped(scope, decide_remotely));
                let thread = thread.transpose().map_err(no_thread)?;
                if let Some((chunk, outcomes)) = decided.take() {
                    self.report_chunk(&chunk, &outcomes, &mut report)?;
                    progress(report.read());
                }
                let ended = thread.map(|thread| thread.join().unwrap_or_else(|_| Err(panicked())));
                ended.transpose()
            })?;
            let Some(outcomes) = outcomes else { break };
            decided = Some((chunk, outcomes));
            many = match began.elapsed() {
                short if short < QUICK => (many * 2).min(MOST),
                long if long > SLOW => (many / 2).max(FEWEST),
                _ => many,
            };
        }
        report.finish();
        Ok(report)
    }

    /// Returns the outcomes of other hosts for the cases of a chunk.
    fn decide_remotely(
        &self,
        chunk: &[Step],
        remote: &dyn RemoteDecider,
    ) -> Result<Vec<RemoteOutcomes>, Error> {
        /// The case and the side of an outcome.
        struct CaseSide {
            at: usize,
            is_after: bool,
            /// True if a slot handles faults.
            is_of_slot: bool,
        }
        let is_of_slot = |version: Option<&Version>| version.is_some_and(Version::is_exact);
        let (mut cases, mut places): (Vec<RemoteCase<'_>>, Vec<CaseSide>) = (Vec::new(), Vec::new());
        for (at, step) in chunk.iter().enumerate() {
            let Step::Line(Line::Case(case)) = step else { continue };
            let before = self.version_before(case).map(|version| version.describe(case)).transpose();
            // The comparison reports the cases that cannot be decided again.
            let (Ok(before), Ok(after)) = (before, self.after.describe(case)) else { continue };
            if let Some(by) = before {
                cases.push(RemoteCase { by, case });
                places.push(CaseSide {
                    at,
                    is_after: false,
                    is_of_slot: is_of_slot(self.version_before(case)),
                });
            }
            cases.push(RemoteCase { by: after, case });
            places.push(CaseSide { at, is_after: true, is_of_slot: is_of_slot(Some(&self.after)) });
        }
        let mut outcomes: Vec<RemoteOutcomes> = chunk.iter().map(|_| RemoteOutcomes::default()).collect();
        if cases.is_empty() {
            return Ok(outcomes);
        }
        remote.decide(&cases, &mut |place, outcome| {
            let Some(CaseSide { at, is_after, is_of_slot }) = places.get(place) else { return };
            let Some(outcomes) = outcomes.get_mut(*at) else { return };
            let side = if *is_after { &mut outcomes.after } else { &mut outcomes.before };
            // Only this host has the slot's history, so only it can handle the fault.
            let is_open = match outcome.error_code() {
                Some(code) => *is_of_slot || is_beside_modules(&code).is_some(),
                None => false,
            };
            if side.is_none() && !is_open {
                *side = Some(outcome);
            }
        })?;
        Ok(outcomes)
    }
}

fn panicked() -> Error {
    Error::new(codes::HOST_FAULT, "the thread that waits for other hosts panicked")
}
