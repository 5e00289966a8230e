//! The rules of the policy: their verdicts as findings.

use super::{
    Facts, Judged, RuleReporter, run_alone,
    undecided::{undecided, with_rules},
    unknown_evidence,
};
use crate::{
    documents::{
        finding::Finding,
        rule::{OnUnknown, RuleMode},
    },
    evaluate::collected::CollectedFindings,
};

/// Adds the findings of the policy's rules, in its order.
pub(super) fn run<'a>(judged: &'a Judged<'a>, found: &mut CollectedFindings<'a>) {
    if judged.verdicts().is_empty() {
        return;
    }
    found.monitored.extend(undecided_monitored(judged));
    for (verdict, rule) in with_rules(judged.policy(), judged.verdicts()) {
        if verdict.unknown.is_some() && (verdict.fails || rule.on_unknown() != OnUnknown::Fire) {
            continue;
        }
        let finding = Finding::from_policy_rule(verdict.rule, rule, verdict.evidence_ref.clone());
        match rule.mode() {
            RuleMode::Enforce => found.findings.push(finding),
            RuleMode::Monitor => found.monitored.push(finding),
        }
    }
}

/// One finding for the monitored rules that cannot be decided.
fn undecided_monitored<'a>(judged: &'a Judged<'a>) -> Option<Finding<'a>> {
    undecided(judged.policy(), judged.verdicts(), RuleMode::Monitor).next()?;
    let watching = super::BuiltInRule { check: report_monitored, ..unknown_evidence::RULE };
    let mut finding = run_alone(&watching, judged, judged.verdicts()).findings.pop()?;
    finding.mode = Some(RuleMode::Monitor);
    Some(finding)
}

fn report_monitored<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    unknown_evidence::report(facts, RuleMode::Monitor, report);
}
