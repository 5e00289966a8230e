//! The rules: one table, one file each.
//!
//! A rule is bound to its row of the table in `codes/rule.rs`: it says what it found and where, never how grave that is
//! or where it stands among the findings. Rules run in four phases, because some look at what others found; the
//! findings come out in the order of the table all the same. A policy's own rules run after the first phase, and their
//! findings stand last.
//!
//! To add a rule: a file here, a line in [`RULES`], a row in `codes/rule.rs`, a fixture in which it fires and one in
//! which it does not. A test fails if any of them is missing. What it looks at and what would make its findings go away
//! are rows of `explain/inputs.rs` and `explain/counterfactual/needs.rs`, which do not compile without it.

mod ambiguous_route;
mod approval;
mod count_mismatch;
mod empty_diff;
mod error_but_changed;
mod goldens;
mod hard_failure;
mod interrupted;
mod missing_artifact;
mod no_fix_path;
mod no_fix_step;
mod policy_rules;
mod policy_violation;
mod refinement_spent;
mod repeated_blocker;
mod repeated_contradiction;
mod repeated_partial;
mod report_mismatch;
mod review_issue;
mod transcript_mismatch;
mod unchecked;
mod unknown_evidence;
mod unreviewed;
mod unsupported_claim;
mod validation_failed;

use alloc::{borrow::Cow, string::String, vec::Vec};
use core::fmt;

pub(crate) use self::policy_rules::undecided;
use super::{facts::Facts, finding::Finding, found::Found};

use adjudicate_lang::order;

use crate::codes::{RuleCode, Status};

/// The rules, in the order of their findings.
static RULES: &[Rule] = &[
    policy_violation::RULE,
    report_mismatch::RULE,
    transcript_mismatch::RULE,
    error_but_changed::RULE,
    missing_artifact::RULE,
    unsupported_claim::RULE,
    repeated_contradiction::RULE,
    goldens::RULE,
    approval::RULE,
    repeated_partial::RULE,
    repeated_blocker::RULE,
    refinement_spent::RULE,
    hard_failure::RULE,
    interrupted::RULE,
    validation_failed::RULE,
    no_fix_path::RULE,
    count_mismatch::RULE,
    review_issue::RULE,
    empty_diff::RULE,
    no_fix_step::RULE,
    unknown_evidence::RULE,
    unchecked::RULE,
    unreviewed::RULE,
    ambiguous_route::RULE,
];

/// One rule.
struct Rule {
    code: RuleCode,
    phase: Phase,
    check: for<'a> fn(&'a Facts<'a>, &mut Reporter<'_, 'a>),
}

/// When a rule runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// It looks at the evidence alone.
    Evidence,
    /// It looks at the findings of the evidence phase.
    Escalation,
    /// It looks at the status that all other findings come to.
    Routing,
    /// It runs only where all other findings come to `success`.
    Success,
}

/// Runs every rule; the findings come in the order of the table, those of one rule in document order, and then those
/// of the policy's own rules in its order.
pub(super) fn run<'a>(facts: &'a Facts<'a>) -> Found<'a> {
    let mut found = Found::default();
    run_phase(Phase::Evidence, facts, &mut found);
    policy_rules::run(facts, &mut found);
    run_phase(Phase::Escalation, facts, &mut found);
    run_phase(Phase::Routing, facts, &mut found);
    if found.status() == Status::Success {
        run_phase(Phase::Success, facts, &mut found);
    }
    order::sort_by(&mut found.findings, |left, right| left.origin.cmp(&right.origin));
    found
}

fn run_phase<'a>(phase: Phase, facts: &'a Facts<'a>, found: &mut Found<'a>) {
    for rule in RULES.iter().filter(|rule| rule.phase == phase) {
        rule.run(facts, found);
    }
}

/// What one rule finds alone.
fn run_alone<'a>(rule: &Rule, facts: &'a Facts<'a>) -> Found<'a> {
    let mut found = Found::default();
    rule.run(facts, &mut found);
    found
}

/// What needs an approval that is not granted.
pub(super) fn missing_approvals<'a>(facts: &'a Facts<'a>) -> Vec<Cow<'a, str>> {
    let found = run_alone(&approval::RULE, facts);
    let listed = found.findings.iter().map(|finding| finding.item.clone());
    listed.chain(found.beyond().map(|finding| finding.item.clone())).collect()
}

/// Returns the finding `ambiguous_route`, if a success would have to guess its next step.
pub(super) fn ambiguous_route<'a>(facts: &'a Facts<'a>) -> Option<Finding<'a>> {
    run_alone(&ambiguous_route::RULE, facts).findings.pop()
}

/// What the escalations find that count results which call for a fix, if this one does.
pub(super) fn escalations_of_partial<'a>(facts: &'a Facts<'a>) -> Vec<Finding<'a>> {
    // Which finding it is that calls for one does not matter to them.
    let mut found = Found::default();
    found.findings.push(Finding::new(RuleCode::EmptyDiff, Status::Partial, String::new(), ""));
    for rule in [repeated_partial::RULE, refinement_spent::RULE] {
        rule.run(facts, &mut found);
    }
    found.findings.split_off(1)
}

/// The rules by which the evidence contradicts itself.
pub(super) fn contradictions(facts: &Facts<'_>) -> Vec<&'static str> {
    let rules = [
        report_mismatch::RULE,
        transcript_mismatch::RULE,
        error_but_changed::RULE,
        missing_artifact::RULE,
        unsupported_claim::RULE,
    ];
    let contradicts = |rule: &Rule| {
        let found = run_alone(rule, facts);
        found.findings.iter().any(|finding| repeated_contradiction::is_contradiction(facts, finding))
    };
    rules.iter().filter(|rule| contradicts(rule)).map(|rule| rule.code.row().name).collect()
}

impl Rule {
    /// Adds what the rule finds.
    fn run<'a>(&self, facts: &'a Facts<'a>, found: &mut Found<'a>) {
        (self.check)(facts, &mut Reporter { code: self.code, found, counts: [0; STATUSES] });
        found.settle();
    }
}

/// How many statuses there are.
const STATUSES: usize = Status::Unsafe as usize + 1;

/// Where a rule puts what it finds. It is bound to the rule's row: the rule cannot choose code, flag or order.
struct Reporter<'r, 'a> {
    code: RuleCode,
    found: &'r mut Found<'a>,
    /// How many findings of each status the rule has reported.
    counts: [usize; STATUSES],
}

impl<'a> Reporter<'_, 'a> {
    /// Reports a finding at `pointer`, with the status of the rule's row.
    fn at(&mut self, pointer: impl Into<String>, summary: impl fmt::Display) -> &mut Finding<'a> {
        self.add(self.code.row().status, pointer.into(), summary)
    }

    /// Reports a finding with the row's other status.
    fn otherwise_at(&mut self, pointer: impl Into<String>, summary: impl fmt::Display) -> &mut Finding<'a> {
        let row = self.code.row();
        self.add(row.alternative.unwrap_or(row.status), pointer.into(), summary)
    }

    fn add(&mut self, status: Status, pointer: String, summary: impl fmt::Display) -> &mut Finding<'a> {
        let finding = Finding::new(self.code, status, pointer, summary);
        let mut of_kind = 0;
        if let Some(count) = self.counts.get_mut(status as usize) {
            of_kind = *count;
            *count += 1;
        }
        self.found.add(finding, of_kind)
    }

    /// What the phases before found: of each rule and status as much as can be listed.
    fn findings(&self) -> &[Finding<'a>] {
        &self.found.findings
    }

    /// Whether a finding other than an escalation calls for `partial`.
    fn calls_for_partial(&self) -> bool {
        super::finding::calls_for_partial(self.findings())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_complete_and_in_order() {
        let codes: Vec<RuleCode> = RULES.iter().map(|rule| rule.code).collect();
        assert_eq!(codes, RuleCode::ALL);
        for rule in RULES {
            assert_eq!(rule.phase == Phase::Escalation, rule.code.row().escalation, "{:?}", rule.code);
        }
    }
}
