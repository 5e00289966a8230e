//! The agent claims a change, and the diff is empty.

use super::{BuiltInRule, Facts, Phase, RuleReporter};
use crate::codes::{ResolutionKind, RuleCode};

pub(super) const RULE: BuiltInRule =
    BuiltInRule { code: RuleCode::TranscriptMismatch, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    if facts.claims_absent_change() {
        report
            .at(facts.claims_pointer(), "the agent claims to have changed something, and the diff is empty")
            .expected("a change in the workspace")
            .actual("no change")
            .resolve(ResolutionKind::AfterFix, "make the change that was claimed, or withdraw the claim");
    }
}
