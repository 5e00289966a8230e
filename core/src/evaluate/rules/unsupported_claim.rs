//! The agent claims that tests passed, and nothing shows that any ran.

use super::{Facts, Phase, Reporter, Rule};
use crate::{
    codes::RuleCode,
    evaluate::{evidence::Claim, finding::ResolutionKind},
};

pub(super) const RULE: Rule = Rule { code: RuleCode::UnsupportedClaim, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut Reporter<'_, 'a>) {
    let Some(pointer) = facts.claim(Claim::TestsPassed) else { return };
    if !facts.has_any_result() && !facts.harness_passes() {
        report
            .at(pointer, "the agent claims that tests passed, and nothing shows that any ran")
            .expected("a validator result or a passing harness report")
            .resolve(ResolutionKind::ProvideEvidence, "run the validators and pass their results on");
    }
}
