//! The verdicts of the policy's rules, and those that are undecided.

use crate::{
    documents::rule::{OnUnknown, RuleMode},
    policy::{Policy, Rule},
};

use super::ConditionVerdict;

/// The undecided rules of a mode that ask for a human. A rule whose condition fails always asks, so that a broken monitored rule is
/// noticed.
pub(crate) fn undecided<'a>(
    policy: &'a Policy,
    verdicts: &'a [ConditionVerdict],
    mode: RuleMode,
) -> impl Iterator<Item = (&'a ConditionVerdict, &'a Rule)> + Clone {
    with_rules(policy, verdicts).filter(move |(verdict, rule)| {
        let asks = verdict.fails || rule.on_unknown() == OnUnknown::Escalate;
        verdict.unknown.is_some() && asks && rule.mode() == mode
    })
}

/// The verdicts with their rules.
pub(super) fn with_rules<'a>(
    policy: &'a Policy,
    verdicts: &'a [ConditionVerdict],
) -> impl Iterator<Item = (&'a ConditionVerdict, &'a Rule)> + Clone {
    verdicts.iter().filter_map(|verdict| Some((verdict, policy.rules().get(verdict.rule as usize)?)))
}
