//! The review has a medium or high issue: fixable with an edit, otherwise blocking.

use adjudicate_lang::json::Pointer;

use super::{BuiltInRule, Facts, Phase, RuleReporter};
use crate::codes::{ResolutionKind, RuleCode};

pub(super) const RULE: BuiltInRule =
    BuiltInRule { code: RuleCode::ReviewIssue, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut RuleReporter<'_, 'a>) {
    for (index, issue, item) in facts.review_issues() {
        let pointer = Pointer::new("/evidence/review/issues").index(index).into_string();
        let summary = format_args!("review issue `{}`: {}", issue.id, issue.summary);
        let finding = if issue.edit.is_some() {
            let finding = report.at(pointer, summary);
            finding.resolve(ResolutionKind::AfterFix, "make the edit that the review asks for");
            finding
        } else {
            let finding = report.otherwise_at(pointer, summary);
            finding.resolve(
                ResolutionKind::ProvideEvidence,
                "have the review name an edit that resolves the issue",
            );
            finding
        };
        finding.item(item);
    }
}
