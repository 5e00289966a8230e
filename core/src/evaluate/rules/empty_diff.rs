//! The step should change something, but changed nothing, and gives no reason.

use super::{BuiltInRule, Facts, Phase, RuleReporter};
use crate::{
    codes::{ResolutionKind, RuleCode},
    documents::evidence::Claim,
};

pub(super) const RULE: BuiltInRule = BuiltInRule { code: RuleCode::EmptyDiff, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    let explained = facts.claims_any(&[Claim::Implemented, Claim::Fixed, Claim::NoChangeNeeded]);
    if facts.intends_change() == Some(true) && facts.changed().seems_empty() && !explained {
        report
            .at(facts.diff_pointer(), "the step was to change something, and the diff is empty")
            .expected("a change in the workspace")
            .actual("no change")
            .resolve(ResolutionKind::AfterFix, "make the change, or claim `no_change_needed`");
    }
}
