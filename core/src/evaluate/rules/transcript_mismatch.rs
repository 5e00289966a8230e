//! The agent claims a change, and the diff is empty.

use super::{Facts, Phase, Reporter, Rule};
use crate::{
    codes::RuleCode,
    evaluate::{evidence::Claim, finding::ResolutionKind},
};

pub(super) const RULE: Rule = Rule { code: RuleCode::TranscriptMismatch, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut Reporter<'_, 'a>) {
    let claims_change = facts.claims_any(&[Claim::Implemented, Claim::Fixed]);
    if claims_change && facts.intends_change() != Some(false) && facts.changed().seems_empty() {
        report
            .at(facts.claims_pointer(), "the agent claims to have changed something, and the diff is empty")
            .expected("a change in the workspace")
            .actual("no change")
            .resolve(ResolutionKind::AfterFix, "make the change that was claimed, or withdraw the claim");
    }
}
