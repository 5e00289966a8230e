//! Cases that others decide: on other hosts, in batches. What is compared and reported stays here, so a report is the same whoever
//! decided.

use std::{
    borrow::Cow,
    thread,
    time::{Duration, Instant},
};

use adjudicate_core::Error;

use super::{
    case::{Case, Line},
    description::Description,
    outcome::{Outcome, is_beside_modules},
    report::Report,
    run::{CHUNK_BYTES, Given, Reevaluation, Step, read_chunk},
    version::Version,
};
use crate::codes;

/// How many cases are given away at once: more where they are decided quickly, so that all who decide have enough to do; fewer where
/// they are not, so that it can be seen how far it is.
const FEWEST: usize = 128;
const FIRST: usize = 512;
const MOST: usize = 4096;
const QUICK: Duration = Duration::from_millis(500);
const SLOW: Duration = Duration::from_secs(4);

/// A case, and who is to decide it.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    /// Who.
    pub by: Description,
    /// What.
    pub case: &'a Case,
}

/// Decides cases in the place of this host. Called on a thread that may wait.
pub trait Elsewhere: Sync {
    /// Decides these cases. `take` is told each outcome with the place of its case in the list, in any order; of several for one case
    /// the first counts. A case that nothing is told of is decided here, and so is one whose outcome is an error of the host that
    /// decided it, for that says nothing of whoever was asked, and an error where the slot did something about such.
    ///
    /// # Errors
    ///
    /// For instance [`cluster_fault`](crate::codes::CLUSTER_FAULT), if nobody decides: there is no report then.
    fn decide(&self, asked: &[Asked<'_>], take: &mut dyn FnMut(usize, Outcome)) -> Result<(), Error>;
}

impl Reevaluation {
    /// As [`run`](Self::run), and the report is the same byte for byte; who is asked is asked elsewhere. While some hundreds or thousands
    /// of cases are decided there, those before them are compared here.
    ///
    /// # Errors
    ///
    /// Those of [`run`](Self::run) and of [`Elsewhere::decide`].
    ///
    /// ```
    /// use adjudicate_core::{Error, Operation};
    /// use adjudicate_host::reevaluation::{Asked, Elsewhere, Outcome, Reevaluation, Step, Version, read_line};
    ///
    /// /// Somebody with an engine of the same version.
    /// struct Neighbour;
    ///
    /// impl Elsewhere for Neighbour {
    ///     fn decide(&self, asked: &[Asked<'_>], take: &mut dyn FnMut(usize, Outcome)) -> Result<(), Error> {
    ///         for (place, Asked { case, .. }) in asked.iter().enumerate() {
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
    /// let report = again.run_elsewhere([step()].into_iter(), &Neighbour, |_| {})?;
    /// assert_eq!(report.compared(), 1);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn run_elsewhere(
        &self,
        mut steps: impl Iterator<Item = Result<Step, Error>>,
        elsewhere: &dyn Elsewhere,
        mut progress: impl FnMut(u64),
    ) -> Result<Report, Error> {
        let mut report = self.begin();
        let mut decided: Option<(Vec<Step>, Vec<Given>)> = None;
        let mut many = FIRST;
        loop {
            let chunk = read_chunk(&mut steps, many, CHUNK_BYTES)?;
            let began = Instant::now();
            let given = thread::scope(|scope| {
                let ask = || self.ask(&chunk, elsewhere);
                let asking = (!chunk.is_empty()).then(|| thread::Builder::new().spawn_scoped(scope, ask));
                let asking = asking.transpose().map_err(no_thread)?;
                if let Some((chunk, given)) = decided.take() {
                    self.tell(&chunk, &given, &mut report)?;
                    progress(report.read());
                }
                let ended = asking.map(|asking| asking.join().unwrap_or_else(|_| Err(gone_wrong())));
                ended.transpose()
            })?;
            let Some(given) = given else { break };
            decided = Some((chunk, given));
            many = match began.elapsed() {
                short if short < QUICK => (many * 2).min(MOST),
                long if long > SLOW => (many / 2).max(FEWEST),
                _ => many,
            };
        }
        report.finish();
        Ok(report)
    }

    /// What others make of the cases of a chunk, each in its place.
    fn ask(&self, chunk: &[Step], elsewhere: &dyn Elsewhere) -> Result<Vec<Given>, Error> {
        /// Of which case of the chunk an outcome is, and of which side.
        struct Place {
            at: usize,
            is_after: bool,
            /// Whether a slot did something about faults.
            is_of_slot: bool,
        }
        let is_of_slot = |version: Option<&Version>| version.is_some_and(Version::is_exact);
        let (mut asked, mut places): (Vec<Asked<'_>>, Vec<Place>) = (Vec::new(), Vec::new());
        for (at, step) in chunk.iter().enumerate() {
            let Step::Line(Line::Case(case)) = step else { continue };
            let before = self.who_before(case).map(|version| version.describe(case)).transpose();
            // What cannot be decided again is found out where the two sides are compared.
            let (Ok(before), Ok(after)) = (before, self.after.describe(case)) else { continue };
            if let Some(by) = before {
                asked.push(Asked { by, case });
                places.push(Place { at, is_after: false, is_of_slot: is_of_slot(self.who_before(case)) });
            }
            asked.push(Asked { by: after, case });
            places.push(Place { at, is_after: true, is_of_slot: is_of_slot(Some(&self.after)) });
        }
        let mut given: Vec<Given> = chunk.iter().map(|_| Given::default()).collect();
        if asked.is_empty() {
            return Ok(given);
        }
        elsewhere.decide(&asked, &mut |place, outcome| {
            let Some(Place { at, is_after, is_of_slot }) = places.get(place) else { return };
            let Some(given) = given.get_mut(*at) else { return };
            let side = if *is_after { &mut given.after } else { &mut given.before };
            // What the slot does about a fault is known where its history is: here.
            let is_open = match outcome.error_code() {
                Some(code) => *is_of_slot || is_beside_modules(&code).is_some(),
                None => false,
            };
            if side.is_none() && !is_open {
                *side = Some(outcome);
            }
        })?;
        Ok(given)
    }
}

/// An outcome that somebody gave, or else what is found out here.
pub(super) fn or_here<'a, E>(
    given: Option<&'a Outcome>,
    here: impl FnOnce() -> Result<Cow<'a, Outcome>, E>,
) -> Result<Cow<'a, Outcome>, E> {
    given.map_or_else(here, |outcome| Ok(Cow::Borrowed(outcome)))
}

pub(super) fn no_thread(error: std::io::Error) -> Error {
    Error::new(codes::HOST_FAULT, format!("no thread can be started: {error}"))
}

fn gone_wrong() -> Error {
    Error::new(codes::HOST_FAULT, "the thread that asks others ended before it was done")
}
