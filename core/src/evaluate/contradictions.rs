//! Contradictions in the evidence: claims and reports that disagree with the results. They are facts; the rule of the same name
//! reports each one.

use alloc::{string::String, vec::Vec};

use super::{checks::FailingValidator, facts::Facts};
use crate::documents::{evidence::Claim, outcome::Outcome};

/// The words of the fact `contradictions`: the names of the rules.
pub(crate) const CONTRADICTIONS: [&str; 5] =
    ["report_mismatch", "transcript_mismatch", "error_but_changed", "missing_artifact", "unsupported_claim"];

impl<'a> Facts<'a> {
    /// The mechanical outcome, if the harness passed and the step did not complete.
    pub(super) fn contradicted_outcome(&self) -> Option<Outcome> {
        let outcome = self.evidence().validation.mechanical_outcome;
        (self.harness_passes() && outcome != Outcome::Completed).then_some(outcome)
    }

    /// The failing validators that pass according to the harness or to a claim, each with its source.
    pub(super) fn contradicted_validators(
        &self,
    ) -> impl Iterator<Item = (&FailingValidator<'a>, &'static str)> {
        let passing = self.harness_passing();
        let claims_pass = self.claims_any(&[Claim::TestsPassed]);
        self.failing_validators().filter_map(move |validator| {
            let witness = match (passing.includes(validator.id), claims_pass) {
                (true, _) => "the harness passed",
                (false, true) => "the agent claims that tests passed",
                (false, false) => return None,
            };
            Some((validator, witness))
        })
    }

    /// True if the agent claims that it changed something.
    pub(super) fn claims_change(&self) -> bool {
        self.claims_any(&[Claim::Implemented, Claim::Fixed])
    }

    /// True if the agent claims a change, and the diff is empty.
    pub(super) fn claims_absent_change(&self) -> bool {
        self.claims_change() && self.intends_change() != Some(false) && self.changed().seems_empty()
    }

    /// The pointer to the agent's error report, if files changed nevertheless.
    pub(super) fn error_despite_change(&self) -> Option<String> {
        self.claim(Claim::ErrorReported).filter(|_| !self.changed().is_empty())
    }

    /// The pointer to the agent's claim that tests passed, if no evidence shows that any ran.
    pub(super) fn unsupported_claim(&self) -> Option<String> {
        let is_supported =
            self.has_any_result() || self.harness_supports() || self.results().has_stale_check();
        self.claim(Claim::TestsPassed).filter(|_| !is_supported)
    }

    /// True if some evidence reports success, and a required artifact is absent.
    pub(super) fn lacks_claimed_artifact(&self) -> bool {
        !self.missing_artifacts().is_empty() && self.claims_success()
    }

    /// The contradictions, by the names of their rules.
    pub(super) fn contradictions(&self) -> Vec<&'static str> {
        let mismatch =
            self.contradicted_outcome().is_some() || self.contradicted_validators().next().is_some();
        let are_there: [bool; CONTRADICTIONS.len()] = [
            mismatch,
            self.claims_absent_change(),
            self.error_despite_change().is_some(),
            self.lacks_claimed_artifact(),
            self.unsupported_claim().is_some(),
        ];
        let contradictions = CONTRADICTIONS.into_iter().zip(are_there);
        contradictions.filter(|(_, is_there)| *is_there).map(|(name, _)| name).collect()
    }
}
