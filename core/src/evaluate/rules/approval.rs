//! A required approval is not granted, or a protected file changed without one.

use super::{BuiltInRule, Facts, Phase, RuleReporter};
use crate::{
    codes::{ResolutionKind, RuleCode},
    evaluate::approvals::missing_approvals,
};

pub(super) const RULE: BuiltInRule = BuiltInRule { code: RuleCode::Approval, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    for missing in missing_approvals(facts) {
        let (item, pointer) = (missing.item, missing.pointer(facts));
        let finding = match missing.is_file() {
            true => report.at(pointer, format_args!("`{item}` is protected and changed without an approval")),
            false => report.at(pointer, format_args!("`{item}` needs an approval that is not granted")),
        };
        finding.item(item).expected(item).resolve(
            ResolutionKind::NeedsApproval,
            "have a human approve it and list it under `approvals.granted`",
        );
    }
}
