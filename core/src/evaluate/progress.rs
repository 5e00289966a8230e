//! Counts over earlier results: partials in a row, refinements, and net improvement (docs/reference/loop.md).

use super::{diff::Changed, facts::Facts};
use crate::{
    codes::Status,
    documents::{envelope::Entry, policy::Profile},
    policy::Parameter,
};

impl<'a> Facts<'a> {
    /// The earlier steps that count for runs, blockers and counters, and the pointer to them.
    pub(crate) fn history(&self) -> (&'a [Entry<'a>], &'static str) {
        match &self.envelope().evaluate_history {
            Some(history) => (history, "/evaluate_history"),
            None => (&self.envelope().provenance_window, "/provenance_window"),
        }
    }

    /// The earlier EVALUATE results, latest first, each with its index in the history.
    pub(super) fn evaluations(&self) -> impl Iterator<Item = (usize, &'a Entry<'a>, Status)> {
        let (history, _) = self.history();
        history.iter().enumerate().rev().filter_map(|(index, entry)| Some((index, entry, entry.evaluated()?)))
    }
}

/// The number of `partial` results in a row, this one included; 0 if this one is not `partial`.
pub(super) fn consecutive_partials(facts: &Facts<'_>, calls_for_partial: bool) -> u64 {
    if !calls_for_partial {
        return 0;
    }
    let earlier = facts.evaluations().take_while(|(_, _, status)| *status == Status::Partial);
    1 + earlier.count() as u64
}

/// The numbers of refinements spent and allowed (docs/reference/loop.md). The envelope can only tighten: its cap lowers the
/// policy's, and its counter cannot hide a `partial` in the history.
pub(super) fn refinements(facts: &Facts<'_>) -> (u64, u64) {
    let given = facts.envelope().refinement;
    let allowed = facts.policy().parameter(Parameter::RefinementCap);
    let cap = given.and_then(|refinement| refinement.cap).map_or(allowed, |cap| cap.min(allowed));
    let reported = given.map_or(0, |refinement| refinement.spent);
    let seen = match facts.policy().profile() {
        Profile::Oa06 => 0,
        Profile::Oa06_1 => {
            let attempt = facts.evaluations().take_while(|(_, _, status)| *status != Status::Success);
            attempt.filter(|(_, _, status)| *status == Status::Partial).count() as u64
        }
    };
    (reported.max(seen), cap)
}

/// Returns true for a net improvement over an earlier result: fewer failures if both numbers are known, otherwise another diff.
pub(super) fn has_improved(facts: &Facts<'_>, latest: &Entry<'_>) -> bool {
    match latest.failures {
        Some(failures) => facts.failures() < failures,
        None => !facts.changed().same_changes(&Changed::from_text(latest.diff_summary)),
    }
}
