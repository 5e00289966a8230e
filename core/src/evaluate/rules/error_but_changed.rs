//! The agent reports an error, but files changed.

use super::{BuiltInRule, Facts, Phase, RuleReporter};
use crate::codes::{ResolutionKind, RuleCode};

pub(super) const RULE: BuiltInRule =
    BuiltInRule { code: RuleCode::ErrorButChanged, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    let Some(pointer) = facts.error_despite_change() else { return };
    report
        .at(pointer, "the agent reports an error, but files changed")
        .expected("no change")
        .actual(match facts.changed().files().len() {
            0 => "changed files of unknown names",
            1 => "one changed file",
            _ => "several changed files",
        })
        .resolve(ResolutionKind::NeedsApproval, "have a human decide whether to keep the change");
}
