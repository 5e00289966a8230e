//! Counting over earlier results: partials in a row, refinements, and whether anything improved (OA06 section 7).

use super::{diff::Changed, envelope::Entry, facts::Facts};
use crate::{
    codes::Status,
    policy::{Parameter, Profile},
};

impl<'a> Facts<'a> {
    /// The earlier steps that count for runs, blockers and counters, and where they are.
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

/// How many `partial` results there are in a row, this one included; 0 when this one is none.
pub(super) fn consecutive_partials(facts: &Facts<'_>, calls_for_partial: bool) -> u64 {
    if !calls_for_partial {
        return 0;
    }
    let earlier = facts.evaluations().take_while(|(_, _, status)| *status == Status::Partial);
    1 + earlier.count() as u64
}

/// How many refinements are spent, and how many are allowed (SPEC section 18.3). The envelope can only tighten: its cap
/// lowers the policy's, and its counter cannot hide a `partial` that the history shows.
pub(super) fn refinements(facts: &Facts<'_>) -> (u64, u64) {
    let given = facts.envelope().refinement;
    let allowed = facts.policy().parameter(Parameter::RefinementCap);
    let cap = given.and_then(|refinement| refinement.cap).map_or(allowed, |cap| cap.min(allowed));
    let told = given.map_or(0, |refinement| refinement.spent);
    let seen = match facts.policy().profile() {
        Profile::Oa06 => 0,
        Profile::Oa06_1 => {
            let attempt = facts.evaluations().take_while(|(_, _, status)| *status != Status::Success);
            attempt.filter(|(_, _, status)| *status == Status::Partial).count() as u64
        }
    };
    (told.max(seen), cap)
}

/// Whether there is a net improvement against an earlier result: fewer failures where both are known, else other
/// changes.
pub(super) fn has_improved(facts: &Facts<'_>, latest: &Entry<'_>) -> bool {
    match latest.failures {
        Some(failures) => facts.failures() < failures,
        None => !facts.changed().same_changes(&Changed::from_text(latest.diff_summary)),
    }
}
