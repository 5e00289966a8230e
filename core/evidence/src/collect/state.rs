//! The documents that a host stores between collections: the state of a run, and the active goal.

use alloc::{string::String, vec::Vec};

use adjudicate_core::{
    Run,
    document::{Document, Extra, FormatVersion},
    evaluate::Envelope,
    order::SortedMap,
    owned::{Envelope as OwnedEnvelope, Evaluation, Evidence, Revision},
};

use super::configuration::{Configuration, OwnedConfiguration};

/// The state of a run: its earlier evaluations and counters.
#[derive(Clone, Debug, Document)]
#[document(owned, root, expecting = "a state object")]
pub struct CollectionState<'a> {
    /// The version of this format: 1.
    pub version: FormatVersion<1>,
    /// The run, for example `run-42`.
    pub run_id: &'a str,
    /// The commit to compare with, as it was at the first collection.
    pub base: Option<&'a str>,
    /// The latest envelope with its history and without its evidence.
    pub envelope: Option<Envelope<'a>>,
    /// The mark of a collection that has not ended. A host sets it before validators start, and removes it with the answer.
    #[document(owned)]
    pub running: Option<RunMark>,
    /// The files that validators created, as far as `tree_ignore` names them. Further runs keep them.
    #[serde(default)]
    pub created: Vec<&'a str>,
    /// The tree of the latest evaluation, with the digest of the configuration and the policy.
    pub judged: Option<&'a str>,
    /// Counters of hooks, by name.
    #[serde(default)]
    pub turns: SortedMap<&'a str, u64>,
}

/// The mark of a collection that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document)]
#[document(owned, expecting = "an object with `since`")]
pub struct RunMark {
    /// The number of evaluations before the collection.
    pub since: u64,
}

impl OwnedCollectionState {
    /// Returns the state of a run before its first collection.
    #[must_use]
    pub fn new(run_id: impl Into<String>) -> Self {
        Self {
            version: FormatVersion,
            run_id: run_id.into(),
            base: None,
            envelope: None,
            running: None,
            created: None,
            judged: None,
            turns: None,
            extra: Extra::new(),
        }
    }

    /// Returns the number of evaluations so far.
    #[must_use]
    pub fn evaluations(&self) -> u64 {
        let history = self.envelope.as_ref().and_then(|envelope| envelope.evaluate_history.as_ref());
        history.map_or(0, |history| history.len() as u64)
    }

    /// Marks that a collection has begun.
    pub fn begin(&mut self) {
        self.running = Some(OwnedRunMark { since: self.evaluations(), extra: Extra::new() });
    }

    /// Takes the answers of `evaluate` and `refine` to `envelope`, and removes the mark.
    pub fn take(&mut self, envelope: OwnedEnvelope, evaluation: &Evaluation, revision: &Revision) {
        let mut run = Run::new(envelope);
        run.take(evaluation, revision);
        self.envelope = Some(run.envelope(Evidence::default()));
        self.running = None;
    }
}

/// The field of the envelope with the minutes since the active goal was set.
pub const GOAL_FIELD: &str = "x-goal";

/// An active goal: its text, and the documents that it became.
#[derive(Clone, Debug, Document)]
#[document(owned, root, expecting = "a goal object")]
pub struct Goal<'a> {
    /// The version of this format: 1.
    pub goal: FormatVersion<1>,
    /// The sentences of the goal.
    pub text: &'a str,
    /// The time at which it was set, in seconds since 1970.
    pub set_at: u64,
    /// The configuration.
    pub configuration: Configuration<'a>,
    /// The policy, as JSON text.
    pub policy: &'a str,
}

impl OwnedGoal {
    /// Returns a goal that is set now.
    #[must_use]
    pub fn new(text: String, set_at: u64, configuration: OwnedConfiguration, policy: String) -> Self {
        Self { goal: FormatVersion, text, set_at, configuration, policy, extra: Extra::new() }
    }
}
