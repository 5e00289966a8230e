//! Counting over earlier results: partials in a row, refinements, and whether anything improved (OA06 section 7).

use super::{diff::Changed, envelope::Entry, facts::Facts};
use crate::{codes::Status, policy::Profile};

/// How many refinements are allowed when neither the envelope nor the policy says (OA06.1 section 1).
const REFINEMENT_CAP: u64 = 1;

/// How many `partial` results there are in a row, this one included; 0 when this one is none.
pub(super) fn consecutive_partials(facts: &Facts<'_>, calls_for_partial: bool) -> u64 {
    if !calls_for_partial {
        return 0;
    }
    let earlier = facts.evaluations().take_while(|(_, _, status)| *status == Status::Partial);
    1 + earlier.count() as u64
}

/// How many refinements are spent, and how many are allowed.
pub(super) fn refinements(facts: &Facts<'_>) -> (u64, u64) {
    let given = facts.envelope().refinement;
    let caps = [given.and_then(|refinement| refinement.cap), facts.policy().refinement_cap()];
    let cap = caps.into_iter().flatten().min().unwrap_or(REFINEMENT_CAP);
    let spent = match given {
        Some(refinement) => refinement.spent,
        None if facts.policy().profile() == Profile::Oa06_1 => {
            facts.evaluations().filter(|(_, _, status)| *status == Status::Partial).count() as u64
        }
        None => 0,
    };
    (spent, cap)
}

/// Whether there is a net improvement against an earlier result: fewer failures where both are known, else other
/// changes.
pub(super) fn has_improved(facts: &Facts<'_>, latest: &Entry<'_>) -> bool {
    match latest.failures {
        Some(failures) => facts.failures() < failures,
        None => !facts.changed().same_changes(&Changed::from_text(latest.diff_summary)),
    }
}
