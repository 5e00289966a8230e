//! A finding calls for a fix, and the allowed refinements are spent (docs/reference/loop.md).

use super::{BuiltInRule, Facts, Phase, RuleReporter};
use crate::{
    codes::{ResolutionKind, RuleCode},
    documents::policy::Profile,
    evaluate::progress::refinements,
};

pub(super) const RULE: BuiltInRule =
    BuiltInRule { code: RuleCode::RefinementSpent, phase: Phase::Escalation, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    if facts.policy().profile() != Profile::Oa06_1 || !report.calls_for_partial() {
        return;
    }
    let (spent, cap) = refinements(facts);
    if spent >= cap {
        let (_, history) = facts.history();
        let pointer = if facts.envelope().refinement.is_some() { "/refinement" } else { history };
        report
            .at(pointer, format_args!("{spent} refinement(s) spent, {cap} allowed"))
            .expected(cap)
            .actual(spent)
            .resolve(
                ResolutionKind::NeedsApproval,
                "have a human decide; the loop allows no further refinement",
            );
    }
}
