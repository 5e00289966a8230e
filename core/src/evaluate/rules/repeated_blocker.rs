//! The same blocker again, without net improvement of the diff (OA06 section 7).

use super::{Facts, Phase, Reporter, Rule};
use crate::{
    codes::RuleCode,
    evaluate::{
        envelope::Entry,
        finding::{Finding, ResolutionKind},
        progress::has_improved,
    },
};

pub(super) const RULE: Rule = Rule { code: RuleCode::RepeatedBlocker, phase: Phase::Escalation, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut Reporter<'_, 'a>) {
    let repeat = facts.policy().blocker_repeat();
    // The table of parameters keeps `repeat` at 2 or more, so there is at least one earlier result to look at.
    let Ok(earlier) = usize::try_from(repeat - 1) else { return };
    let entries: alloc::vec::Vec<&Entry<'_>> =
        facts.evaluations().take(earlier).map(|(_, entry, _)| entry).collect();
    let Some(latest) = entries.first().filter(|_| entries.len() == earlier) else { return };
    let came_each_time = |finding: &&Finding<'_>| entries.iter().all(|entry| had(entry, finding));
    let current =
        report.findings().iter().filter(|finding| !finding.is_escalation() && finding.raises_blocker());
    let mut repeated = current.filter(came_each_time);
    let Some(code) = repeated.next().and_then(|finding| finding.blocker) else { return };
    if has_improved(facts, latest) {
        return;
    }
    let (_, pointer) = facts.history();
    report
        .at(pointer, format_args!("the blocker `{code}` came {repeat} times, and the diff has not improved"))
        .actual(code)
        .resolve(ResolutionKind::NeedsApproval, "have a person look at why the blocker does not go away");
}

/// Whether an earlier result had the blocker: code and item where it kept them, else the code.
fn had(entry: &Entry<'_>, finding: &Finding<'_>) -> bool {
    finding.blocker.is_some_and(|code| match &entry.blockers {
        Some(blockers) => blockers.iter().any(|blocker| blocker.code == code && blocker.item == finding.item),
        None => entry.blocker_codes.contains(&code),
    })
}
