//! The rules of the policy: what their conditions come to, as findings.

use alloc::vec::Vec;

use super::{Facts, unknown_evidence};
use crate::{
    codes::RuleCode,
    evaluate::{finding::Finding, verdict::Verdict},
    policy::{OnUnknown, Rule, RuleMode},
};

/// Adds the findings that count, in the order of the policy; returns those that are only reported.
pub(super) fn run<'a>(facts: &'a Facts<'a>, findings: &mut Vec<Finding<'a>>) -> Vec<Finding<'a>> {
    let mut monitored = Vec::new();
    if facts.verdicts().is_empty() {
        return monitored;
    }
    monitored.extend(undecided_monitored(facts));
    for (verdict, rule) in judged(facts) {
        if verdict.unknown.is_some() && (verdict.fails || rule.on_unknown() != OnUnknown::Fire) {
            continue;
        }
        let finding = Finding::of_policy(verdict.rule, rule, verdict.evidence_ref.clone());
        match rule.mode() {
            RuleMode::Enforce => findings.push(finding),
            RuleMode::Monitor => monitored.push(finding),
        }
    }
    monitored
}

/// The rules of a mode that cannot be decided and ask for a person then: those whose condition fails always do, so that
/// nobody who watches a rule misses that it does not work.
pub(crate) fn undecided<'a>(
    facts: &'a Facts<'a>,
    mode: RuleMode,
) -> impl Iterator<Item = (&'a Verdict, &'a Rule)> + Clone {
    judged(facts).filter(move |(verdict, rule)| {
        let asks = verdict.fails || rule.on_unknown() == OnUnknown::Escalate;
        verdict.unknown.is_some() && asks && rule.mode() == mode
    })
}

/// What the monitored rules that cannot be decided would ask of a person, in one finding.
fn undecided_monitored<'a>(facts: &'a Facts<'a>) -> Option<Finding<'a>> {
    undecided(facts, RuleMode::Monitor).next()?;
    let code = RuleCode::UnknownEvidence;
    let mut findings = Vec::new();
    unknown_evidence::report(
        facts,
        RuleMode::Monitor,
        &mut super::Reporter { code, findings: &mut findings },
    );
    let mut finding = findings.pop()?;
    finding.mode = Some(RuleMode::Monitor);
    Some(finding)
}

fn judged<'a>(facts: &'a Facts<'a>) -> impl Iterator<Item = (&'a Verdict, &'a Rule)> + Clone {
    let rules = facts.policy().rules();
    facts.verdicts().iter().filter_map(|verdict| Some((verdict, rules.get(verdict.rule as usize)?)))
}
