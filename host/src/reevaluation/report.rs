//! The report: counts of the changes, a matrix of statuses, and samples.

use std::collections::{BTreeMap, BTreeSet};

use adjudicate_core::{Error, document::Describe};
use serde::Serialize;

use super::{
    comparison::{Comparison, Expectation, OutcomeChange, OutcomeDetails},
    outcome::{Label, Obstacle},
    sample::{Sample, clip},
};

/// Names counted per kind. Modules choose the names, so their number is unbounded.
const MOST_NAMES: usize = 200;

/// Numbers shown of unreadable lines, and of cases that cannot be compared.
const MOST_SHOWN: usize = 20;

/// The report of a re-evaluation.
#[derive(Clone, Debug, Default, Describe, Serialize)]
#[document(name = "ReplaySummary")]
pub struct ReevaluationReport {
    /// The name of the version before.
    before: String,
    /// The name of the version after.
    after: String,
    /// True if a forbidden change happened, or too few cases were compared.
    failed: bool,
    /// True if every answer had to be the recorded one, byte for byte.
    exact: bool,
    /// The required number of compared cases.
    min_records: u64,
    /// The number of lines or records.
    read: u64,
    /// The number of compared cases.
    compared: u64,
    /// The number of compared cases with a recorded answer.
    recorded: u64,
    /// The number of compared cases without a difference.
    unchanged: u64,
    /// The number of compared cases that differ outside of decision and findings.
    wording: u64,
    /// The number of compared cases that differ in the decision or the findings, but not in the status.
    decision: u64,
    /// The number of compared cases that differ in the status.
    status: u64,
    /// The number of decisions with another next step.
    next_steps: u64,
    /// The number of cases for each pair of statuses, including unchanged ones, in the order of the statuses.
    transitions: Vec<Transition>,
    /// The changed risk flags.
    flags: BTreeMap<String, AppearanceCount>,
    /// The changed blockers, by code.
    blockers: BTreeMap<String, AppearanceCount>,
    /// The changed findings, by rule.
    findings: BTreeMap<String, AppearanceCount>,
    /// The cases that could not be compared, by reason.
    not_replayable: BTreeMap<&'static str, SkippedCases>,
    /// The unreadable lines.
    bad_lines: BadLines,
    /// The forbidden changes.
    expectations: Vec<ForbiddenChange>,
    /// Samples of changed cases: changes of the status first, then by number.
    samples: Vec<Sample>,
    #[serde(skip)]
    most_samples: usize,
}

/// The number of cases with this change of status.
#[derive(Clone, Copy, Debug, Describe, Serialize)]
struct Transition {
    /// The status before, or a similar word of an operation without statuses.
    from: Label,
    /// The status after.
    to: Label,
    /// The number of cases.
    count: u64,
    /// The number of these cases with a sample.
    #[serde(skip)]
    shown: usize,
}

/// The number of cases in which a name appeared or disappeared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Describe, Serialize)]
struct AppearanceCount {
    /// The number of cases in which only the version after has the name.
    appeared: u64,
    /// The number of cases in which only the version before has the name.
    disappeared: u64,
}

/// The cases that could not be compared for one reason.
#[derive(Clone, Debug, Default, Describe, Serialize)]
struct SkippedCases {
    /// The number of cases.
    count: u64,
    /// The numbers of the first cases.
    numbers: Vec<u64>,
}

/// The unreadable lines.
#[derive(Clone, Debug, Default, Describe, Serialize)]
struct BadLines {
    /// The number of lines.
    count: u64,
    /// The first lines.
    first: Vec<BadLine>,
}

/// An unreadable line.
#[derive(Clone, Debug, Describe, Serialize)]
struct BadLine {
    /// The number of the line.
    line: u64,
    /// The code of the error.
    code: &'static str,
    /// The message.
    message: String,
}

/// A forbidden change, and how often it happened.
#[derive(Clone, Debug, Describe, Serialize)]
struct ForbiddenChange {
    /// The change, for example `success->unsafe`.
    change: String,
    /// The number of cases.
    count: u64,
    #[serde(skip)]
    expectation: Expectation,
}

impl ReevaluationReport {
    pub(super) fn new(most_samples: usize, exact: bool, least: u64, expectations: &[Expectation]) -> Self {
        let judged = |expectation: &Expectation| ForbiddenChange {
            change: expectation.to_string(),
            count: 0,
            expectation: *expectation,
        };
        let expectations = expectations.iter().map(judged).collect();
        Self { most_samples, exact, min_records: least, expectations, ..Self::default() }
    }

    pub(super) fn compare(
        &mut self,
        comparison: &Comparison,
        is_recorded: bool,
        sample: Option<Box<Sample>>,
    ) {
        self.read += 1;
        self.compared += 1;
        self.recorded += u64::from(is_recorded);
        let count = match comparison.change {
            OutcomeChange::None => &mut self.unchanged,
            OutcomeChange::Wording => &mut self.wording,
            OutcomeChange::Decision => &mut self.decision,
            OutcomeChange::Status => &mut self.status,
        };
        *count += 1;
        for judged in &mut self.expectations {
            judged.count += u64::from(judged.expectation.is_met_by(comparison));
        }
        if let Some((before, after)) = comparison.sides.as_deref() {
            self.next_steps += u64::from(before.next_step != after.next_step);
            count_names(&mut self.flags, &before.flags, &after.flags);
            count_names(&mut self.blockers, &before.blockers, &after.blockers);
            let rules =
                |details: &OutcomeDetails| details.findings.iter().map(|(rule, _)| rule.clone()).collect();
            count_names(&mut self.findings, &rules(before), &rules(after));
        }
        let most = self.most_samples;
        let transition = self.transition(comparison);
        transition.count += 1;
        if let Some(sample) = sample
            && transition.shown < most
        {
            transition.shown += 1;
            self.samples.push(*sample);
        }
    }

    fn transition(&mut self, comparison: &Comparison) -> &mut Transition {
        let Comparison { from, to, .. } = *comparison;
        let key = |transition: &Transition| (transition.from, transition.to);
        let at = match self.transitions.binary_search_by_key(&(from, to), key) {
            Ok(at) => at,
            Err(at) => {
                self.transitions.insert(at, Transition { from, to, count: 0, shown: 0 });
                at
            }
        };
        #[expect(clippy::indexing_slicing, reason = "it was found there, or put there")]
        &mut self.transitions[at]
    }

    pub(super) fn obstacle(&mut self, number: u64, obstacle: Obstacle) {
        self.read += 1;
        let skipped = self.not_replayable.entry(obstacle.as_str()).or_default();
        skipped.count += 1;
        if skipped.numbers.len() < MOST_SHOWN {
            skipped.numbers.push(number);
        }
    }

    pub(super) fn bad_line(&mut self, line: u64, error: &Error) {
        self.read += 1;
        self.bad_lines.count += 1;
        if self.bad_lines.first.len() < MOST_SHOWN {
            let message = clip(error.message());
            self.bad_lines.first.push(BadLine { line, code: error.code().as_str(), message });
        }
    }

    /// Sets the names of the two versions.
    pub fn name(&mut self, before: &str, after: &str) {
        (self.before, self.after) = (before.to_owned(), after.to_owned());
    }

    /// The names of the versions before and after.
    #[must_use]
    pub fn names(&self) -> (&str, &str) {
        (&self.before, &self.after)
    }

    /// The number of lines or records.
    #[must_use]
    pub const fn read(&self) -> u64 {
        self.read
    }

    /// The number of compared cases.
    #[must_use]
    pub const fn compared(&self) -> u64 {
        self.compared
    }

    /// The number of compared cases with a recorded answer.
    #[must_use]
    pub const fn recorded(&self) -> u64 {
        self.recorded
    }

    /// The number of cases that could not be compared.
    #[must_use]
    pub fn not_replayable(&self) -> u64 {
        self.not_replayable.values().map(|skipped| skipped.count).sum()
    }

    /// The number of unreadable lines.
    #[must_use]
    pub const fn bad_lines(&self) -> u64 {
        self.bad_lines.count
    }

    /// The number of cases with at least this degree of change.
    #[must_use]
    pub const fn changed(&self, least: OutcomeChange) -> u64 {
        match least {
            OutcomeChange::None => self.compared,
            OutcomeChange::Wording => self.wording + self.decision + self.status,
            OutcomeChange::Decision => self.decision + self.status,
            OutcomeChange::Status => self.status,
        }
    }

    /// The number of cases for each pair of statuses, including unchanged ones, in the order of the statuses.
    pub fn transitions(&self) -> impl Iterator<Item = (Label, Label, u64)> {
        self.transitions.iter().map(|transition| (transition.from, transition.to, transition.count))
    }

    /// The forbidden changes, with the number of cases for each.
    pub fn expectations(&self) -> impl Iterator<Item = (&str, u64)> {
        self.expectations.iter().map(|judged| (judged.change.as_str(), judged.count))
    }

    /// Judges the result and sorts the samples by degree of change.
    pub(super) fn finish(&mut self) {
        self.failed = self.is_too_little()
            || (self.exact && self.changed(OutcomeChange::Wording) > 0)
            || self.expectations.iter().any(|judged| judged.count > 0);
        self.samples.sort_by_key(|sample| (std::cmp::Reverse(sample.change), sample.number));
    }

    /// Samples of changed cases: changes of the status first, then by number.
    #[must_use]
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// True if a forbidden change happened, if an answer differs although every byte must be the same, or if too few cases were
    /// compared.
    #[must_use]
    pub const fn is_failed(&self) -> bool {
        self.failed
    }

    /// True if too few cases were compared.
    #[must_use]
    pub const fn is_too_little(&self) -> bool {
        self.compared < self.min_records
    }

    /// The required number of compared cases.
    #[must_use]
    pub const fn least(&self) -> u64 {
        self.min_records
    }

    /// True if every answer had to be the recorded one, byte for byte.
    #[must_use]
    pub const fn is_exact(&self) -> bool {
        self.exact
    }

    /// The number of decisions with another next step.
    #[must_use]
    pub const fn next_steps(&self) -> u64 {
        self.next_steps
    }

    /// The cases that could not be compared: the reason, their number, and the numbers of the first cases.
    pub fn obstacles(&self) -> impl Iterator<Item = (Obstacle, u64, &[u64])> {
        Obstacle::ALL.iter().copied().filter_map(|obstacle| {
            let skipped = self.not_replayable.get(obstacle.as_str())?;
            Some((obstacle, skipped.count, skipped.numbers.as_slice()))
        })
    }

    /// The changed flags, blockers and rules: kind, name, number of appearances, number of disappearances.
    pub fn moved(&self) -> impl Iterator<Item = (&'static str, &str, u64, u64)> {
        let kinds = [("flag", &self.flags), ("blocker", &self.blockers), ("finding", &self.findings)];
        kinds.into_iter().flat_map(|(kind, tally)| {
            tally.iter().map(move |(name, moved)| (kind, name.as_str(), moved.appeared, moved.disappeared))
        })
    }

    /// The first unreadable lines: number, code and message.
    pub fn first_bad_lines(&self) -> impl Iterator<Item = (u64, &'static str, &str)> {
        self.bad_lines.first.iter().map(|bad| (bad.line, bad.code, bad.message.as_str()))
    }
}

/// Counts the names that only one of two outcomes has.
fn count_names(
    tally: &mut BTreeMap<String, AppearanceCount>,
    before: &BTreeSet<String>,
    after: &BTreeSet<String>,
) {
    let mut count_of = |name: &str, add: fn(&mut AppearanceCount) -> &mut u64| {
        let name = clip(name);
        let is_full = tally.len() >= MOST_NAMES && !tally.contains_key(&name);
        *add(tally.entry(if is_full { "(others)".to_owned() } else { name }).or_default()) += 1;
    };
    after.difference(before).for_each(|name| count_of(name, |count| &mut count.appeared));
    before.difference(after).for_each(|name| count_of(name, |count| &mut count.disappeared));
}
