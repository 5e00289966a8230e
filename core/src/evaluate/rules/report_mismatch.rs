//! The harness or a claim reports passing checks, and one of them failed.

use super::{BuiltInRule, Facts, Phase, RuleReporter};
use crate::{
    codes::{ResolutionKind, RuleCode},
    documents::outcome::Outcome,
};

pub(super) const RULE: BuiltInRule =
    BuiltInRule { code: RuleCode::ReportMismatch, phase: Phase::Evidence, check };

const HINT: &str = "find out which of the two is wrong before anything else; do not trust this workspace";

fn check<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    if let Some(outcome) = facts.contradicted_outcome() {
        report
            .at(
                "/evidence/validation/mechanical_outcome",
                "the harness passed, but the step did not complete",
            )
            .expected(Outcome::Completed.as_str())
            .actual(outcome.as_str())
            .resolve(ResolutionKind::Terminal, HINT);
    }
    for (validator, witness) in facts.contradicted_validators() {
        report
            .at(validator.pointer(), format_args!("{witness}, yet {}", validator.describe()))
            .item(validator.id)
            .expected(0_i64)
            .actual(validator.shown())
            .resolve(ResolutionKind::Terminal, HINT);
    }
}
