//! Too many partial results in a row (docs/reference/loop.md).

use super::{BuiltInRule, Facts, Phase, RuleReporter};
use crate::{
    codes::{ResolutionKind, RuleCode},
    evaluate::progress::consecutive_partials,
};

pub(super) const RULE: BuiltInRule =
    BuiltInRule { code: RuleCode::RepeatedPartial, phase: Phase::Escalation, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    let row = consecutive_partials(facts, report.calls_for_partial());
    let threshold = facts.policy().partial_threshold();
    if row >= threshold {
        let (_, pointer) = facts.history();
        report
            .at(pointer, format_args!("{row} partial results in a row, {threshold} call for a human"))
            .expected(threshold)
            .actual(row)
            .resolve(ResolutionKind::NeedsApproval, "have a human look at why the fixes do not help");
    }
}
