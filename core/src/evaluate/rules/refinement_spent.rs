//! A fix is called for, and the refinements allowed are spent (OA06.1 section 3).

use super::{Facts, Phase, Reporter, Rule};
use crate::{
    codes::RuleCode,
    evaluate::{finding::ResolutionKind, progress::refinements},
    policy::Profile,
};

pub(super) const RULE: Rule = Rule { code: RuleCode::RefinementSpent, phase: Phase::Escalation, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut Reporter<'_, 'a>) {
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
                "have a person decide; the loop allows no further refinement",
            );
    }
}
