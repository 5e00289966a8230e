//! The rules of the policy: what their conditions come to, as findings.

use super::{Facts, Reporter, run_alone, unknown_evidence};
use crate::{
    evaluate::{finding::Finding, found::Found, verdict::Verdict},
    policy::{OnUnknown, Rule, RuleMode},
};

/// Adds the findings of the policy's rules, in its order.
pub(super) fn run<'a>(facts: &'a Facts<'a>, found: &mut Found<'a>) {
    if facts.verdicts().is_empty() {
        return;
    }
    found.monitored.extend(undecided_monitored(facts));
    for (verdict, rule) in judged(facts) {
        if verdict.unknown.is_some() && (verdict.fails || rule.on_unknown() != OnUnknown::Fire) {
            continue;
        }
        let finding = Finding::of_policy(verdict.rule, rule, verdict.evidence_ref.clone());
        match rule.mode() {
            RuleMode::Enforce => found.findings.push(finding),
            RuleMode::Monitor => found.monitored.push(finding),
        }
    }
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
    let watching = super::Rule { check: report_monitored, ..unknown_evidence::RULE };
    let mut finding = run_alone(&watching, facts).findings.pop()?;
    finding.mode = Some(RuleMode::Monitor);
    Some(finding)
}

fn report_monitored<'a>(facts: &'a Facts<'a>, report: &mut Reporter<'_, 'a>) {
    unknown_evidence::report(facts, RuleMode::Monitor, report);
}

fn judged<'a>(facts: &'a Facts<'a>) -> impl Iterator<Item = (&'a Verdict, &'a Rule)> + Clone {
    let rules = facts.policy().rules();
    facts.verdicts().iter().filter_map(|verdict| Some((verdict, rules.get(verdict.rule as usize)?)))
}
