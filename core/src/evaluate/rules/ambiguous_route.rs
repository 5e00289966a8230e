//! Everything is fine, but the next step would be a guess (docs/reference/rules.md).

use super::{BuiltInRule, Facts, Phase, RuleReporter};
use crate::{
    codes::{ResolutionKind, RuleCode, Status},
    documents::finding::Shown,
    evaluate::{finding::most_severe, next_step::ambiguous_steps},
};

pub(super) const RULE: BuiltInRule =
    BuiltInRule { code: RuleCode::AmbiguousRoute, phase: Phase::Success, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    // Earlier rules of this phase may have reported something.
    if most_severe(report.findings()) != Status::Success {
        return;
    }
    let steps = ambiguous_steps(facts);
    if steps.is_empty() {
        return;
    }
    report
        .at("/allowed_next_steps", "two or more next steps are unclassified, and none is a forward step")
        .expected("one forward step")
        .actual(steps.into_iter().collect::<Shown<'_>>())
        .resolve(ResolutionKind::ProvideEvidence, "declare roles in `steps` or in the policy's `routes`");
}
