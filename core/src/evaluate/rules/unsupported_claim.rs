//! The agent claims that tests passed, and no evidence shows that any ran.

use super::{BuiltInRule, Facts, Phase, RuleReporter};
use crate::codes::{ResolutionKind, RuleCode};

pub(super) const RULE: BuiltInRule =
    BuiltInRule { code: RuleCode::UnsupportedClaim, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    let Some(pointer) = facts.unsupported_claim() else { return };
    report
        .at(pointer, "the agent claims that tests passed, but no evidence shows a test run")
        .expected("a validator result or a passing harness report")
        .resolve(ResolutionKind::ProvideEvidence, "run the validators and report their results");
}
