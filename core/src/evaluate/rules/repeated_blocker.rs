//! The same blocker again, without net improvement of the diff (OA06 section 7).

use alloc::vec::Vec;

use super::{Facts, Phase, Reporter, Rule};
use crate::{
    codes::RuleCode,
    evaluate::{envelope::Entry, finding::ResolutionKind, progress::has_improved},
    order,
};

pub(super) const RULE: Rule = Rule { code: RuleCode::RepeatedBlocker, phase: Phase::Escalation, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut Reporter<'_, 'a>) {
    let repeat = facts.policy().blocker_repeat();
    // The type of the parameter keeps it at 2 or more, so there is at least one earlier result to look at.
    let Ok(earlier) = usize::try_from(repeat - 1) else { return };
    let entries: Vec<&Entry<'_>> = facts.evaluations().take(earlier).map(|(_, entry, _)| entry).collect();
    let Some(latest) = entries.first().filter(|_| entries.len() == earlier) else { return };
    let Some(code) = repeated(report.found.raised(), &entries) else { return };
    if has_improved(facts, latest) {
        return;
    }
    let (_, pointer) = facts.history();
    report
        .at(pointer, format_args!("the blocker `{code}` came {repeat} times, and the diff has not improved"))
        .actual(code)
        .resolve(ResolutionKind::NeedsApproval, "have a person look at why the blocker does not go away");
}

/// The code of the first current blocker that each of the earlier results has.
fn repeated<'a, 'f>(
    current: impl Iterator<Item = (&'a str, &'f str)>,
    entries: &[&Entry<'_>],
) -> Option<&'a str> {
    let mut left: Vec<(&'a str, &str)> = current.collect();
    for entry in entries {
        keep(&mut left, entry);
    }
    left.first().map(|(code, _)| *code)
}

/// Keeps the blockers that an earlier result has: by code and item where it kept items, else by code.
fn keep(blockers: &mut Vec<(&str, &str)>, entry: &Entry<'_>) {
    let Some(earlier) = &entry.blockers else {
        let codes = order::names(entry.blocker_codes.iter().copied());
        return blockers.retain(|(code, _)| codes.contains(code));
    };
    let mut earlier: Vec<(&str, &str)> = earlier.iter().map(|blocker| (blocker.code, blocker.item)).collect();
    order::sort_by(&mut earlier, Ord::cmp);
    blockers.retain(|blocker| earlier.binary_search(blocker).is_ok());
}
