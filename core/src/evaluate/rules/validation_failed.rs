//! A check failed, and the evidence shows how to fix it.

use super::{BuiltInRule, Facts, Phase, RuleReporter};
use crate::codes::{ResolutionKind, RuleCode};

pub(super) const RULE: BuiltInRule =
    BuiltInRule { code: RuleCode::ValidationFailed, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    for validator in facts.failing_validators() {
        if facts.has_fix_path(validator) {
            report
                .at(validator.pointer(), format_args!("{}", validator.describe()))
                .item(validator.id)
                .expected(0_i64)
                .actual(validator.shown())
                .resolve(ResolutionKind::AfterFix, "fix what the validator reports, then run it again");
        }
    }
    for case in facts.failing_cases() {
        if case.repro.is_some() {
            report
                .at(&*case.pointer, format_args!("case `{}` failed", case.item))
                .item(&*case.item)
                .expected("passed")
                .actual("failed")
                .resolve(ResolutionKind::AfterFix, "fix the case, then run its reproduction again");
        }
    }
}
