//! A check failed, and no evidence shows how to fix it.

use super::{BuiltInRule, Facts, Phase, RuleReporter};
use crate::codes::{ResolutionKind, RuleCode};

pub(super) const RULE: BuiltInRule = BuiltInRule { code: RuleCode::NoFixPath, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    for validator in facts.failing_validators() {
        if !facts.has_fix_path(validator) {
            report
                .at(
                    validator.pointer(),
                    format_args!("{}, and no artifact is named after it", validator.describe()),
                )
                .item(validator.id)
                .expected(0_i64)
                .actual(validator.shown())
                .resolve(
                    ResolutionKind::ProvideEvidence,
                    "keep the validator's output as an artifact named after it",
                );
        }
    }
    for case in facts.failing_cases() {
        if case.repro.is_none() {
            report
                .at(&*case.pointer, format_args!("case `{}` failed, and nothing reproduces it", case.item))
                .item(&*case.item)
                .expected("passed")
                .actual("failed")
                .resolve(ResolutionKind::ProvideEvidence, "list the case with a command that reproduces it");
        }
    }
}
