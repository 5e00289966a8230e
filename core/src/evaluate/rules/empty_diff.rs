//! The step was to change something, changed nothing, and does not say why.

use super::{Facts, Phase, Reporter, Rule};
use crate::{
    codes::RuleCode,
    evaluate::{evidence::Claim, finding::ResolutionKind},
};

pub(super) const RULE: Rule = Rule { code: RuleCode::EmptyDiff, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut Reporter<'_, 'a>) {
    let explained = facts.claims_any(&[Claim::Implemented, Claim::Fixed, Claim::NoChangeNeeded]);
    if facts.intends_change() == Some(true) && facts.changed().seems_empty() && !explained {
        report
            .at(facts.diff_pointer(), "the step was to change something, and the diff is empty")
            .expected("a change in the workspace")
            .actual("no change")
            .resolve(ResolutionKind::AfterFix, "make the change, or claim `no_change_needed`");
    }
}
