//! What changed, counted: a matrix of statuses, what appeared and disappeared; and samples of it.

use std::collections::BTreeMap;

use adjudicate_core::Error;
use serde::Serialize;

use super::{
    case::Obstacle,
    comparison::{Change, Comparison, Said},
    expectation::Expectation,
    outcome::Label,
    sample::{Sample, clip},
};

/// How many names of a kind are counted one by one; modules choose them, so there may be any number.
const MOST_NAMES: usize = 200;

/// How many lines that cannot be read are shown, and cases that cannot be compared.
const MOST_SHOWN: usize = 20;

/// What was found by deciding again.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// Who was asked before, and who is asked now.
    before: String,
    after: String,
    /// Whether something changed that must not, or too little was compared.
    failed: bool,
    /// Whether every answer had to be the recorded one, byte for byte.
    exact: bool,
    /// How many had to be compared at least.
    min_records: u64,
    read: u64,
    compared: u64,
    /// How many of these had a record of what was answered.
    recorded: u64,
    /// Not by a byte, only in wording, in the decision, in the status.
    unchanged: u64,
    wording: u64,
    decision: u64,
    status: u64,
    next_steps: u64,
    transitions: Vec<Transition>,
    flags: Tally,
    blockers: Tally,
    findings: Tally,
    not_replayable: BTreeMap<&'static str, Skipped>,
    bad_lines: BadLines,
    expectations: Vec<Judged>,
    samples: Vec<Sample>,
    #[serde(skip)]
    most_samples: usize,
}

/// How many went from one status to another.
#[derive(Clone, Copy, Debug, Serialize)]
struct Transition {
    from: Label,
    to: Label,
    count: u64,
    /// How many of them have a sample.
    #[serde(skip)]
    shown: usize,
}

/// How often each name is there now and was not before, and the other way round.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(transparent)]
pub(super) struct Tally(pub(super) BTreeMap<String, Moved>);

/// How often something appeared and disappeared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Moved {
    pub(super) appeared: u64,
    pub(super) disappeared: u64,
}

/// What could not be compared, for one reason.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Skipped {
    pub(super) count: u64,
    /// The first of them.
    pub(super) numbers: Vec<u64>,
}

#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct BadLines {
    pub(super) count: u64,
    pub(super) first: Vec<BadLine>,
}

#[derive(Clone, Debug, Serialize)]
pub(super) struct BadLine {
    pub(super) line: u64,
    pub(super) code: &'static str,
    pub(super) message: String,
}

/// What must not change, and how often it did.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Judged {
    pub(super) change: String,
    pub(super) count: u64,
    #[serde(skip)]
    expectation: Option<Expectation>,
}

impl Report {
    pub(super) fn new(most_samples: usize, exact: bool, least: u64, expectations: &[Expectation]) -> Self {
        let judged = |expectation: &Expectation| Judged {
            change: expectation.to_string(),
            count: 0,
            expectation: Some(*expectation),
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
            Change::None => &mut self.unchanged,
            Change::Wording => &mut self.wording,
            Change::Decision => &mut self.decision,
            Change::Status => &mut self.status,
        };
        *count += 1;
        for judged in &mut self.expectations {
            judged.count +=
                u64::from(judged.expectation.is_some_and(|expectation| expectation.is_met_by(comparison)));
        }
        if let Some((before, after)) = comparison.sides.as_deref() {
            self.next_steps += u64::from(before.next_step != after.next_step);
            self.flags.count(&before.flags, &after.flags);
            self.blockers.count(&before.blockers, &after.blockers);
            let rules = |said: &Said| said.findings.iter().map(|(rule, _)| rule.clone()).collect();
            self.findings.count(&rules(before), &rules(after));
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

    /// Says who was asked before, and who is asked now.
    pub fn name(&mut self, before: &str, after: &str) {
        (self.before, self.after) = (before.to_owned(), after.to_owned());
    }

    /// Who was asked before, and who is asked now.
    #[must_use]
    pub fn names(&self) -> (&str, &str) {
        (&self.before, &self.after)
    }

    /// How many lines or records there were.
    #[must_use]
    pub const fn read(&self) -> u64 {
        self.read
    }

    /// How many of them could be decided again and compared.
    #[must_use]
    pub const fn compared(&self) -> u64 {
        self.compared
    }

    /// How many of those that were compared have a record of what was answered.
    #[must_use]
    pub const fn recorded(&self) -> u64 {
        self.recorded
    }

    /// How many could not.
    #[must_use]
    pub fn not_replayable(&self) -> u64 {
        self.not_replayable.values().map(|skipped| skipped.count).sum()
    }

    /// How many lines could not be read.
    #[must_use]
    pub const fn bad_lines(&self) -> u64 {
        self.bad_lines.count
    }

    /// How many cases changed at least so much.
    #[must_use]
    pub const fn changed(&self, least: Change) -> u64 {
        match least {
            Change::None => self.compared,
            Change::Wording => self.wording + self.decision + self.status,
            Change::Decision => self.decision + self.status,
            Change::Status => self.status,
        }
    }

    /// From which status to which status how many went, those that stayed included, in the order of the statuses.
    pub fn transitions(&self) -> impl Iterator<Item = (Label, Label, u64)> {
        self.transitions.iter().map(|transition| (transition.from, transition.to, transition.count))
    }

    /// The changes that were not wanted, and how often each was met.
    pub fn expectations(&self) -> impl Iterator<Item = (&str, u64)> {
        self.expectations.iter().map(|judged| (judged.change.as_str(), judged.count))
    }

    /// Judges, and puts what changed most first.
    pub(super) fn finish(&mut self) {
        self.failed = self.is_too_little()
            || (self.exact && self.changed(Change::Wording) > 0)
            || self.expectations.iter().any(|judged| judged.count > 0);
        self.samples.sort_by_key(|sample| (std::cmp::Reverse(sample.change), sample.number));
    }

    /// Cases that changed: those with another status first, then by their number.
    #[must_use]
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// Whether something changed that must not (what was expected to stay, or any byte where every byte must come out), or too
    /// little was compared to say so.
    #[must_use]
    pub const fn is_failed(&self) -> bool {
        self.failed
    }

    /// Whether fewer were compared than had to be.
    #[must_use]
    pub const fn is_too_little(&self) -> bool {
        self.compared < self.min_records
    }

    /// How many had to be compared at least.
    #[must_use]
    pub const fn least(&self) -> u64 {
        self.min_records
    }

    /// Whether every answer had to be the recorded one, byte for byte.
    #[must_use]
    pub const fn is_exact(&self) -> bool {
        self.exact
    }

    /// How many decisions name another next step.
    #[must_use]
    pub const fn next_steps(&self) -> u64 {
        self.next_steps
    }

    /// What could not be compared: why, how many, and the numbers of the first.
    pub fn obstacles(&self) -> impl Iterator<Item = (Obstacle, u64, &[u64])> {
        Obstacle::ALL.into_iter().filter_map(|obstacle| {
            let skipped = self.not_replayable.get(obstacle.as_str())?;
            Some((obstacle, skipped.count, skipped.numbers.as_slice()))
        })
    }

    /// Of flags, blockers and rules: the kind, the name, how often it appeared, how often it disappeared.
    pub fn moved(&self) -> impl Iterator<Item = (&'static str, &str, u64, u64)> {
        let kinds = [("flag", &self.flags), ("blocker", &self.blockers), ("finding", &self.findings)];
        kinds.into_iter().flat_map(|(kind, tally)| {
            tally.0.iter().map(move |(name, moved)| (kind, name.as_str(), moved.appeared, moved.disappeared))
        })
    }

    /// The first lines that could not be read: number, code and message.
    pub fn first_bad_lines(&self) -> impl Iterator<Item = (u64, &'static str, &str)> {
        self.bad_lines.first.iter().map(|bad| (bad.line, bad.code, bad.message.as_str()))
    }
}

impl Tally {
    fn count(
        &mut self,
        before: &std::collections::BTreeSet<String>,
        after: &std::collections::BTreeSet<String>,
    ) {
        for name in after.difference(before) {
            self.of(name).appeared += 1;
        }
        for name in before.difference(after) {
            self.of(name).disappeared += 1;
        }
    }

    fn of(&mut self, name: &str) -> &mut Moved {
        let name = clip(name);
        let is_full = self.0.len() >= MOST_NAMES && !self.0.contains_key(&name);
        self.0.entry(if is_full { "(others)".to_owned() } else { name }).or_default()
    }
}
