//! The same blocker again, without net improvement of the diff (OA06 section 7).

use alloc::{
    collections::{BTreeMap, BTreeSet},
    vec::Vec,
};

use super::{Facts, Phase, Reporter, Rule};
use crate::{
    codes::RuleCode,
    evaluate::{
        envelope::Entry,
        finding::{Finding, ResolutionKind},
        progress::has_improved,
    },
    order,
};

pub(super) const RULE: Rule = Rule { code: RuleCode::RepeatedBlocker, phase: Phase::Escalation, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut Reporter<'_, 'a>) {
    let repeat = facts.policy().blocker_repeat();
    // The type of the parameter keeps it at 2 or more, so there is at least one earlier result to look at.
    let Ok(earlier) = usize::try_from(repeat - 1) else { return };
    let entries: Vec<&Entry<'_>> = facts.evaluations().take(earlier).map(|(_, entry, _)| entry).collect();
    let Some(latest) = entries.first().filter(|_| entries.len() == earlier) else { return };
    let blockers: Vec<Blockers<'_>> = entries.iter().map(|entry| Blockers::of(entry)).collect();
    let came_each_time = |finding: &&Finding<'_>| blockers.iter().all(|blockers| blockers.hold(finding));
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

/// The blockers of an earlier result: code and item where it kept them, else the codes.
enum Blockers<'a> {
    Items(BTreeMap<&'a str, BTreeSet<&'a str>>),
    Codes(BTreeSet<&'a str>),
}

impl<'a> Blockers<'a> {
    fn of(entry: &Entry<'a>) -> Self {
        let Some(blockers) = &entry.blockers else {
            return Self::Codes(order::names(entry.blocker_codes.iter().copied()));
        };
        let mut items: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for blocker in blockers {
            items.entry(blocker.code).or_default().insert(blocker.item);
        }
        Self::Items(items)
    }

    fn hold(&self, finding: &Finding<'_>) -> bool {
        finding.blocker.is_some_and(|code| match self {
            Self::Items(items) => items.get(code).is_some_and(|items| items.contains(&*finding.item)),
            Self::Codes(codes) => codes.contains(code),
        })
    }
}
