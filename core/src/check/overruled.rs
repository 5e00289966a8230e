//! Rules that never decide: whenever one fires, something more severe is found too.
//!
//! A rule is compared with the built-in rules by the facts that make them fire, and with those rules of the policy that
//! ask for no other evidence than it does: at most [`MOST_COMPARED`](super::topics::MOST_COMPARED) of them, the most alike first, so that the work is
//! linear in the number of rules. What is not compared is not reported.

use alloc::{format, vec::Vec};

use super::{
    built_in::BUILT_IN,
    code::CheckCode,
    finding::Findings,
    rules::{Subject, share},
    search::{Answer, search},
    topics::Index,
    verifier::Verifier,
};
use crate::policy::{Policy, RuleMode};

/// Reports the rules among the live ones that are always overruled.
pub(super) fn check<'p>(
    policy: &'p Policy,
    live: &[usize],
    verifier: &mut Verifier<'p>,
    findings: &mut Findings,
) {
    let is_enforced = |place: &&usize| enforced(policy, **place).is_some();
    let enforced_rules: Vec<usize> = live.iter().filter(is_enforced).copied().collect();
    let index = Index::new(policy, &enforced_rules);
    for (at, place) in enforced_rules.iter().enumerate() {
        let Some(subject) = enforced(policy, *place) else { continue };
        let mut steps = share(policy);
        let mut built_in = BUILT_IN.iter().filter(|built_in| index.is_about(at, built_in.topics));
        let by_built_in = built_in.find(|built_in| built_in.overrules(&subject, &mut steps));
        let over = match by_built_in {
            Some(built_in) => Some((built_in.code.row().name, built_in.code.row().status)),
            None => index.more_severe(at).into_iter().find_map(|other| {
                let other = enforced(policy, other)?;
                let goals = Vec::from([subject.fires(), other.is_quiet()]);
                let answer = search(subject.world(), goals, &mut steps, &mut |_| true);
                matches!(answer, Answer::Impossible(_)).then(|| (other.rule.id(), other.rule.status()))
            }),
        };
        let Some((other, status)) = over else { continue };
        let id = subject.rule.id();
        let message = format!(
            "whenever `{id}` fires, `{other}` does too, which calls for `{}`: `{id}` never decides",
            status.as_str()
        );
        let witness = subject.fired(verifier, &mut steps, &|witness| {
            witness.has(other) && witness.status.is_some_and(|decided| decided >= status)
        });
        let finding = subject.finding(CheckCode::ShadowedRule, "/when", message).shown_by(witness);
        findings.push(finding.hint(format!("leave the rule out, or have it except what `{other}` is about")));
    }
}

fn enforced(policy: &Policy, place: usize) -> Option<Subject<'_>> {
    let rule = policy.rules().get(place)?;
    (rule.mode() == RuleMode::Enforce).then(|| Subject::new(policy, place, rule))
}
