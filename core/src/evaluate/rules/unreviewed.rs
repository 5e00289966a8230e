//! Nothing is wrong, but the policy asks for a review and there is none (OA06.1 section 2, SPEC section 18.1).

use super::{Facts, Phase, Reporter, Rule};
use crate::{
    codes::{RuleCode, Status},
    evaluate::finding::ResolutionKind,
    policy::ReviewRequirement,
};

pub(super) const RULE: Rule = Rule { code: RuleCode::Unreviewed, phase: Phase::Success, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut Reporter<'_, 'a>) {
    if facts.evidence().review.is_some() || !needs_review(facts) {
        return;
    }
    report
        .at("/evidence/review", "the policy asks for a review, and there is none")
        .expected("a review")
        .resolve(
            ResolutionKind::ProvideEvidence,
            "have the step reviewed and pass the review on as `evidence.review`",
        );
}

/// Returns whether the policy asks for a review at this step: always, or until one came after the last success.
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
