//! The rules: one table, one file each.
//!
//! A rule is bound to its row of the table in `codes/rule.rs`: it reports items and places, but cannot choose their severity or
//! order. Rules run in four phases, because some look at the findings of others; the findings are still in the order of the table.
//! A policy's own rules run after the first phase, and their findings come last.
//!
//! To add a rule, follow `docs/contribute/rule.md`.

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
mod stale_evidence;
mod tests_shrunk;
mod transcript_mismatch;
mod unchecked;
mod undecided;
mod unknown_evidence;
mod unreviewed;
mod unsupported_claim;
mod validation_failed;

use alloc::{string::String, vec::Vec};
use core::fmt;

pub(crate) use self::undecided::undecided;
use super::{
    collected::CollectedFindings,
    facts::Facts,
    verdict::{ConditionVerdict, Judged},
};
use crate::{
    codes::{RuleCode, Status},
    documents::finding::Finding,
};

use adjudicate_lang::order;

/// The rules, in the order of their findings.
static RULES: &[BuiltInRule] = &[
    policy_violation::RULE,
    report_mismatch::RULE,
    transcript_mismatch::RULE,
    error_but_changed::RULE,
    missing_artifact::RULE,
    stale_evidence::RULE,
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
    tests_shrunk::RULE,
    review_issue::RULE,
    empty_diff::RULE,
    no_fix_step::RULE,
    unknown_evidence::RULE,
    unchecked::RULE,
    unreviewed::RULE,
    ambiguous_route::RULE,
];

/// One rule.
struct BuiltInRule {
    code: RuleCode,
    phase: Phase,
    check: for<'a> fn(&'a Facts<'a>, &mut RuleReporter<'_, 'a>),
}

/// The phase in which a rule runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// It looks at the evidence alone.
    Evidence,
    /// It looks at the findings of the first phase.
    Escalation,
    /// It looks at the status of all other findings.
    Routing,
    /// It runs only if all other findings lead to `success`.
    Success,
}

/// Runs every rule. Findings are in the order of the table, those of one rule in document order, and those of the policy's own
/// rules last.
pub(super) fn run<'a>(judged: &'a Judged<'a>) -> CollectedFindings<'a> {
    let mut found = CollectedFindings::default();
    run_phase(Phase::Evidence, judged, &mut found);
    policy_rules::run(judged, &mut found);
    run_phase(Phase::Escalation, judged, &mut found);
    run_phase(Phase::Routing, judged, &mut found);
    if found.status() == Status::Success {
        run_phase(Phase::Success, judged, &mut found);
    }
    order::sort_by(&mut found.findings, |left, right| left.origin.cmp(&right.origin));
    found
}

fn run_phase<'a>(phase: Phase, judged: &'a Judged<'a>, found: &mut CollectedFindings<'a>) {
    for rule in RULES.iter().filter(|rule| rule.phase == phase) {
        rule.run(judged, judged.verdicts(), found);
    }
}

/// The findings of one rule alone.
fn run_alone<'a>(
    rule: &BuiltInRule,
    facts: &'a Facts<'a>,
    verdicts: &'a [ConditionVerdict],
) -> CollectedFindings<'a> {
    let mut found = CollectedFindings::default();
    rule.run(facts, verdicts, &mut found);
    found
}

/// Returns the finding `ambiguous_route`, if a success would have to guess its next step.
pub(super) fn ambiguous_route<'a>(facts: &'a Facts<'a>) -> Option<Finding<'a>> {
    run_alone(&ambiguous_route::RULE, facts, &[]).findings.pop()
}

/// The escalations that count results with a call for a fix, if this result has one.
pub(super) fn escalations_of_partial<'a>(facts: &'a Facts<'a>) -> Vec<Finding<'a>> {
    // They do not depend on which finding calls for a fix.
    let mut found = CollectedFindings::default();
    found.findings.push(Finding::new(RuleCode::EmptyDiff, Status::Partial, String::new(), ""));
    for rule in [repeated_partial::RULE, refinement_spent::RULE] {
        rule.run(facts, &[], &mut found);
    }
    found.findings.split_off(1)
}

impl BuiltInRule {
    /// Adds the findings of the rule.
    fn run<'a>(
        &self,
        facts: &'a Facts<'a>,
        verdicts: &'a [ConditionVerdict],
        found: &mut CollectedFindings<'a>,
    ) {
        (self.check)(facts, &mut RuleReporter { code: self.code, verdicts, found, counts: [0; STATUSES] });
        found.settle();
    }
}

/// The number of statuses.
const STATUSES: usize = Status::Unsafe as usize + 1;

/// Collects the findings of a rule. It is bound to the rule's row, so the rule cannot choose code, flag or order.
struct RuleReporter<'r, 'a> {
    code: RuleCode,
    /// The verdicts on the policy's conditions.
    verdicts: &'a [ConditionVerdict],
    found: &'r mut CollectedFindings<'a>,
    /// The number of findings of each status that the rule has reported.
    counts: [usize; STATUSES],
}

impl<'a> RuleReporter<'_, 'a> {
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

    /// The findings of earlier phases, as far as they can be listed.
    fn findings(&self) -> &[Finding<'a>] {
        &self.found.findings
    }

    /// Returns true if a finding other than an escalation calls for `partial`.
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
