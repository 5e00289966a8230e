//! The same blocker again, without net improvement of the diff (docs/reference/loop.md).

use alloc::vec::Vec;

use adjudicate_lang::order::{self, SortedSet};

use super::{BuiltInRule, Facts, Phase, RuleReporter};
use crate::{
    codes::{ResolutionKind, RuleCode},
    documents::envelope::Entry,
    evaluate::progress::has_improved,
};

pub(super) const RULE: BuiltInRule =
    BuiltInRule { code: RuleCode::RepeatedBlocker, phase: Phase::Escalation, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    let repeat = facts.policy().blocker_repeat();
    // The parameter is at least 2, so there is at least one earlier result.
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
        .resolve(ResolutionKind::NeedsApproval, "have a human look at why the blocker does not go away");
}

/// The code of the first current blocker that every earlier result has.
fn repeated<'a, 'f>(
    current: impl Iterator<Item = (&'a str, &'f str)>,
    entries: &[&Entry<'_>],
) -> Option<&'a str> {
    let earlier: Vec<Earlier<'_>> = entries.iter().map(|entry| Earlier::new(entry)).collect();
    let mut current = current.filter(|blocker| earlier.iter().all(|earlier| earlier.has(blocker)));
    current.next().map(|(code, _)| code)
}

/// The blockers of an earlier result: by code and item if the result has items, otherwise by code.
enum Earlier<'e> {
    Items(SortedSet<(&'e str, &'e str)>),
    Codes(SortedSet<&'e str>),
}

impl<'e> Earlier<'e> {
    fn new(entry: &Entry<'e>) -> Self {
        match &entry.blockers {
            Some(blockers) => Self::Items(SortedSet::from_values(
                blockers.iter().map(|blocker| (blocker.code, blocker.item)),
            )),
            None => Self::Codes(order::names(entry.blocker_codes.iter().copied())),
        }
    }

    fn has(&self, blocker: &(&'e str, &'e str)) -> bool {
        match self {
            Self::Items(items) => items.contains(blocker),
            Self::Codes(codes) => codes.contains(blocker.0),
        }
    }
}
