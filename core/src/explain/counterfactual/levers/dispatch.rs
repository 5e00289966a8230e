//! The levers of each variable: a row for each fact, and for each part of the envelope.

use super::{LeverSearch, Severity};
use crate::{
    explain::counterfactual::ranges::is_free,
    policy::{Fact, Root, Variable},
};

impl LeverSearch<'_, '_, '_, '_> {
    /// Adds the levers of a variable.
    pub(super) fn variable(&mut self, variable: &Variable) {
        let may_change = match variable.root() {
            Root::Fact(fact) => self.fact(fact),
            Root::Input => self.input(variable),
            Root::Parameter(_) => false,
        };
        self.levers.may_change |= may_change;
    }

    /// Adds the levers of a fact. Returns false if the fact is recorded or the policy's, so that no evidence changes it.
    fn fact(&mut self, fact: Fact) -> bool {
        match fact {
            Fact::Intent => self.intent(),
            Fact::Claims => self.claims(true),
            Fact::Outcome => self.outcome(),
            Fact::DiffInsertions | Fact::DiffDeletions => {
                self.lines();
                self.diff();
            }
            Fact::DiffEmpty
            | Fact::DiffOpaque
            | Fact::DiffPaths
            | Fact::DiffFiles
            | Fact::DiffCount
            | Fact::DiffForbidden
            | Fact::DiffProtected => self.diff(),
            Fact::DiffImproved => {
                self.validators();
                self.cases();
                self.diff();
            }
            Fact::Failures => {
                self.validators();
                self.cases();
            }
            Fact::ValidatorsPassing | Fact::ValidatorsCount => {
                self.validators();
                self.other_validators();
            }
            Fact::ValidatorsFailing | Fact::ValidatorsTimedOut | Fact::ValidatorsMissing => self.validators(),
            Fact::HarnessPresent | Fact::HarnessPasses | Fact::HarnessPassed => {
                self.cases();
                self.other_cases();
            }
            Fact::HarnessFailed
            | Fact::HarnessSkipped
            | Fact::HarnessFlaky
            | Fact::HarnessFailing
            | Fact::HarnessRepeats
            | Fact::TestsKnown
            | Fact::TestsNewFailures => self.cases(),
            Fact::TestsLost | Fact::TestsSkippedNow => self.lost_tests(),
            Fact::UxHigh => self.remarks(Some(Severity::High)),
            Fact::UxMedium => self.remarks(Some(Severity::Medium)),
            Fact::UxLow => self.remarks(Some(Severity::Low)),
            Fact::ArtifactsMissing => self.missing_artifacts(),
            Fact::ReviewHigh => self.issues(Some(Severity::High)),
            Fact::ReviewMedium => self.issues(Some(Severity::Medium)),
            Fact::ReviewLow => self.issues(Some(Severity::Low)),
            Fact::Contradictions => {
                self.validators();
                self.cases();
                self.missing_artifacts();
                self.claims(false);
                self.diff();
            }
            Fact::HarnessGoldens | Fact::ApprovalsMissing | Fact::ApprovalsGranted | Fact::ReviewPresent => {
                self.levers.asks_for_person = true;
            }
            Fact::EventsClasses
            | Fact::EventsViolations
            | Fact::EventsWarnings
            | Fact::HistoryCount
            | Fact::HistoryLast
            | Fact::HistoryPartials
            | Fact::HistoryFlags
            | Fact::RefinementCap
            | Fact::RefinementSpent => return false,
        }
        true
    }

    /// Adds the levers of a variable below `input`. Returns false if no evidence changes its part of the envelope.
    fn input(&mut self, variable: &Variable) -> bool {
        let mut names = variable.rest().iter().map(|name| &**name);
        let (area, part) = match names.next() {
            // History, and the names and permissions of steps, are no evidence.
            Some("provenance_window" | "evaluate_history" | "refinement" | "steps") => return false,
            Some("evidence") => (names.next().unwrap_or_default(), names.next().unwrap_or_default()),
            _ if is_free(variable) => {
                self.set(variable);
                return true;
            }
            _ => return false,
        };
        match (area, part) {
            ("validation", "exit_codes" | "timeouts") => match names.next() {
                Some(id) if part == "exit_codes" => self.pass(id),
                _ => {
                    self.validators();
                    self.other_validators();
                }
            },
            ("validation", "mechanical_outcome") => self.outcome(),
            ("harness_report", "proposed_goldens") | ("approvals", _) => self.levers.asks_for_person = true,
            _ if is_free(variable) => self.set(variable),
            ("harness_report", "ux_flags") => self.remarks(None),
            ("harness_report", _) => {
                self.cases();
                self.other_cases();
            }
            ("artifacts", _) => self.artifacts(),
            ("claims", _) => self.claims(true),
            ("step_intent", _) => self.intent(),
            ("diff", _) => {
                self.lines();
                self.diff();
            }
            ("workspace_diff_summary", _) => self.diff(),
            ("review", _) => self.issues(None),
            // Recorded events and requirements do not change.
            ("policy_events" | "required_artifacts" | "required_validators" | "tree", _)
            | ("validation", "trees") => return false,
            _ => {}
        }
        true
    }
}
