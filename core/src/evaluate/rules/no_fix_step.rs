//! A finding calls for a fix, and no fix step is allowed.

use super::{BuiltInRule, Facts, Phase, RuleReporter};
use crate::{
    codes::{ResolutionKind, RuleCode, Status},
    documents::{finding::Shown, role::Role},
    evaluate::{finding::most_severe, next_step::first_step},
};

pub(super) const RULE: BuiltInRule = BuiltInRule { code: RuleCode::NoFixStep, phase: Phase::Routing, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    if most_severe(report.findings()) == Status::Partial && first_step(facts, Role::Fix).is_none() {
        report
            .at("/allowed_next_steps", "a fix is needed, but no allowed next step is a fix step")
            .expected("a fix step")
            .actual(facts.envelope().allowed_next_steps.iter().copied().collect::<Shown<'_>>())
            .resolve(
                ResolutionKind::Terminal,
                "allow a fix step after this evaluation, or name it in `steps`",
            );
    }
}
