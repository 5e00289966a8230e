//! Everything is fine, but the policy requires a review and there is none (docs/reference/rules.md).

use super::{BuiltInRule, Facts, Phase, RuleReporter};
use crate::{
    codes::{ResolutionKind, RuleCode, Status},
    documents::policy::ReviewRequirement,
};

pub(super) const RULE: BuiltInRule = BuiltInRule { code: RuleCode::Unreviewed, phase: Phase::Success, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    if facts.results().review().is_some() || !needs_review(facts) {
        return;
    }
    report
        .at("/evidence/review", "the policy asks for a review, and there is none")
        .expected("a review")
        .resolve(
            ResolutionKind::ProvideEvidence,
            "have the step reviewed, and add the review as `evidence.review`",
        );
}

/// Returns true if the policy requires a review at this step: always, or until one came after the last success.
fn needs_review(facts: &Facts<'_>) -> bool {
    match facts.policy().review() {
        ReviewRequirement::Required => true,
        ReviewRequirement::Optional => false,
        ReviewRequirement::First => {
            let mut attempt = facts.evaluations().take_while(|(_, _, status)| *status != Status::Success);
            !attempt.any(|(_, entry, _)| entry.reviewed == Some(true))
        }
    }
}
