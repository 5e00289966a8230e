//! Rules without effect: whenever one fires, something more severe is found too.
//!
//! A rule is compared with the built-in rules by their causing facts, and with the policy's rules that use no other evidence. At
//! most [`MOST_COMPARED`](super::topics::MOST_COMPARED) of these are compared, the most similar first, so the work is linear in the
//! number of rules. Rules that are not compared are not reported.

use alloc::{format, vec::Vec};

use super::{
    built_in::BUILT_IN,
    finding::CheckFindings,
    inputs::Checked,
    search::judge,
    subject::{Subject, share},
    topics::TopicIndex,
    verifier::Verifier,
};
use crate::documents::{check_code::CheckCode, rule::RuleMode};

/// Reports the rules among the live ones that are always overruled.
pub(super) fn check<'p>(
    checked: Checked<'p>,
    live: &[usize],
    verifier: &mut Verifier<'p>,
    findings: &mut CheckFindings,
) {
    let is_enforced = |place: &&usize| enforced(checked, **place).is_some();
    let enforced_rules: Vec<usize> = live.iter().filter(is_enforced).copied().collect();
    let index = TopicIndex::new(checked.policy, &enforced_rules);
    for (at, place) in enforced_rules.iter().enumerate() {
        let Some(subject) = enforced(checked, *place) else { continue };
        let mut steps = share(checked.policy);
        let mut built_in = BUILT_IN.iter().filter(|built_in| index.is_about(at, built_in.topics));
        let by_built_in = built_in.find(|built_in| built_in.overrules(&subject, &mut steps));
        let over = match by_built_in {
            Some(built_in) => Some((built_in.code.row().name, built_in.code.row().status)),
            None => index.more_severe(at).into_iter().find_map(|other| {
                let other = enforced(checked, other)?;
                let goals = [subject.fires(), other.is_quiet()];
                let is_overruled = judge(subject.scope(), &goals, &mut steps).is_never();
                is_overruled.then(|| (other.rule.id(), other.rule.status()))
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

fn enforced(checked: Checked<'_>, place: usize) -> Option<Subject<'_>> {
    let rule = checked.policy.rules().get(place)?;
    (rule.mode() == RuleMode::Enforce).then(|| Subject::new(checked, place, rule))
}
