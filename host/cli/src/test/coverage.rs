//! The coverage of tests: the rules that fired, stayed quiet or were unknown, and the statuses that were reached.

use adjudicate_core::{
    Policy,
    document::Describe,
    evaluate::Status,
    policy::{Rule, RuleMode},
};
use serde::Serialize;

/// The statuses, in their order of precedence.
const STATUSES: [Status; 5] =
    [Status::Success, Status::Partial, Status::Blocked, Status::NeedsHuman, Status::Unsafe];

/// The coverage of the tests of one policy.
#[derive(Debug, Describe, Serialize)]
pub(super) struct Coverage {
    /// The covered rules in percent, rounded down; 100 for a policy without rules.
    percent: usize,
    /// The rules, in the order of the policy.
    pub(super) rules: Vec<RuleCoverage>,
    /// The statuses, in their order of precedence.
    pub(super) statuses: Vec<StatusCoverage>,
}

/// The results of a rule's condition, counted.
#[derive(Debug, Describe, Serialize)]
pub(super) struct RuleCoverage {
    /// The name of the rule.
    pub(super) id: String,
    /// The mode of the rule.
    mode: RuleMode,
    /// The number of tests in which the condition held.
    pub(super) fired: usize,
    /// The number of tests in which it did not hold.
    pub(super) quiet: usize,
    /// The number of tests in which it was unknown.
    pub(super) unknown: usize,
}

/// The number of tests that reached a status.
#[derive(Debug, Describe, Serialize)]
pub(super) struct StatusCoverage {
    /// The status.
    pub(super) status: Status,
    /// The number of tests.
    pub(super) reached: usize,
}

impl Coverage {
    /// Creates the coverage of a policy without any test.
    pub(super) fn new(policy: &Policy) -> Self {
        let rule = |rule: &Rule| RuleCoverage {
            id: rule.id().to_owned(),
            mode: rule.mode(),
            fired: 0,
            quiet: 0,
            unknown: 0,
        };
        let mut coverage = Self {
            percent: 0,
            rules: policy.rules().iter().map(rule).collect(),
            statuses: STATUSES.map(|status| StatusCoverage { status, reached: 0 }).into(),
        };
        coverage.count();
        coverage
    }

    /// Adds one evaluation: its status, and the results of the rules' conditions.
    pub(super) fn add(&mut self, status: Status, conditions: &[Option<bool>]) {
        for (rule, condition) in self.rules.iter_mut().zip(conditions) {
            match condition {
                Some(true) => rule.fired += 1,
                Some(false) => rule.quiet += 1,
                None => rule.unknown += 1,
            }
        }
        self.statuses
            .iter_mut()
            .filter(|reached| reached.status == status)
            .for_each(|reached| reached.reached += 1);
        self.count();
    }

    fn count(&mut self) {
        self.percent = (self.covered() * 100).checked_div(self.rules.len()).unwrap_or(100);
    }

    /// Returns the number of covered rules.
    pub(super) fn covered(&self) -> usize {
        self.rules.iter().filter(|rule| rule.is_covered()).count()
    }

    /// Returns the covered rules in percent, rounded down.
    pub(super) const fn percent(&self) -> usize {
        self.percent
    }
}

impl RuleCoverage {
    /// Returns true if the rule both fired and stayed quiet. A rule that always fires is as untested as one that never fires.
    pub(super) const fn is_covered(&self) -> bool {
        self.fired > 0 && self.quiet > 0
    }
}
