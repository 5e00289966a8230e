//! A fix is called for, and no fix step is legal.

use super::{Facts, Phase, Reporter, Rule};
use crate::{
    codes::{RuleCode, Status},
    evaluate::{
        finding::{ResolutionKind, Shown, most_severe},
        route::first_step,
    },
    policy::Role,
};

pub(super) const RULE: Rule = Rule { code: RuleCode::NoFixStep, phase: Phase::Routing, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut Reporter<'_, 'a>) {
    if most_severe(report.findings()) == Status::Partial && first_step(facts, Role::Fix).is_none() {
        report
            .at(
                "/allowed_next_steps",
                "a fix is called for, and none of the allowed next steps is a fix step",
            )
            .expected("a fix step")
            .actual(facts.envelope().allowed_next_steps.iter().copied().collect::<Shown<'_>>())
            .resolve(
                ResolutionKind::Terminal,
                "allow a fix step after this evaluation, or name it in `steps`",
            );
    }
}
