//! What tests cover: which rules fired, stayed quiet or were unknown, and which statuses were reached.

use adjudicate_core::{
    Policy,
    evaluate::Status,
    policy::{Rule, RuleMode},
};
use serde::Serialize;

/// The statuses, in their order of precedence.
const STATUSES: [Status; 5] =
    [Status::Success, Status::Partial, Status::Blocked, Status::NeedsHuman, Status::Unsafe];

/// What the tests of one policy cover.
#[derive(Debug, Serialize)]
pub(super) struct Coverage {
    /// Of all rules, how many in a hundred are covered; a policy without rules is covered.
    percent: usize,
    pub(super) rules: Vec<RuleCoverage>,
    pub(super) statuses: Vec<StatusCoverage>,
}

/// How often the condition of a rule came to what.
#[derive(Debug, Serialize)]
pub(super) struct RuleCoverage {
    pub(super) id: String,
    mode: RuleMode,
    pub(super) fired: usize,
    pub(super) quiet: usize,
    pub(super) unknown: usize,
}

/// How often a status was reached.
#[derive(Debug, Serialize)]
pub(super) struct StatusCoverage {
    pub(super) status: Status,
    pub(super) reached: usize,
}

impl Coverage {
    /// Nothing is covered yet.
    pub(super) fn of(policy: &Policy) -> Self {
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

    /// Adds one evaluation: its status, and what the conditions of the rules came to.
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

    /// How many rules are covered.
    pub(super) fn covered(&self) -> usize {
        self.rules.iter().filter(|rule| rule.is_covered()).count()
    }

    /// Of all rules, how many in a hundred are covered, rounded down.
    pub(super) const fn percent(&self) -> usize {
        self.percent
    }
}

impl RuleCoverage {
    /// Whether it did both: a rule that always fires is as little tested as one that never does.
    pub(super) const fn is_covered(&self) -> bool {
        self.fired > 0 && self.quiet > 0
    }
}
