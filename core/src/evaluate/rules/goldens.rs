//! The harness proposes new goldens (OA06 section 4).

use super::{Facts, Phase, Reporter, Rule};
use crate::{
    codes::RuleCode,
    evaluate::finding::{ResolutionKind, Shown},
};

pub(super) const RULE: Rule = Rule { code: RuleCode::Goldens, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut Reporter<'_, 'a>) {
    let Some(harness) = facts.harness() else { return };
    let goldens = &harness.proposed_goldens;
    if !goldens.is_empty() {
        let pointer = "/evidence/harness_report/proposed_goldens";
        report
            .at(pointer, format_args!("the harness proposes to replace {} golden(s)", goldens.len()))
            .actual(goldens.iter().copied().collect::<Shown<'_>>())
            .resolve(ResolutionKind::NeedsApproval, "have a person accept or refuse the proposed goldens");
    }
}
