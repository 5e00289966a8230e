//! The rule `goldens`: the test harness proposes new golden files, which a human must accept or refuse (docs/reference/rules.md).

use super::{BuiltInRule, Facts, Phase, RuleReporter};
use crate::{
    codes::{ResolutionKind, RuleCode},
    documents::finding::Shown,
};

pub(super) const RULE: BuiltInRule = BuiltInRule { code: RuleCode::Goldens, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    let Some(harness) = facts.evidence().harness_report.as_ref() else { return };
    let goldens = &harness.proposed_goldens;
    if !goldens.is_empty() {
        let pointer = "/evidence/harness_report/proposed_goldens";
        report
            .at(pointer, format_args!("the harness proposes to replace {} golden(s)", goldens.len()))
            .actual(goldens.iter().copied().collect::<Shown<'_>>())
            .resolve(ResolutionKind::NeedsApproval, "have a human accept or refuse the proposed goldens");
    }
}
