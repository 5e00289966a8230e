//! The review found a medium or high issue: with an edit it can be fixed, without it stands in the way.

use alloc::format;

use adjudicate_lang::json::Pointer;

use super::{Facts, Phase, Reporter, Rule};
use crate::{codes::RuleCode, evaluate::finding::ResolutionKind};

pub(super) const RULE: Rule = Rule { code: RuleCode::ReviewIssue, phase: Phase::Evidence, check };

fn check<'a>(facts: &'a Facts<'a>, report: &mut Reporter<'_, 'a>) {
    for (index, issue, item) in facts.review_issues() {
        let pointer = Pointer::new("/evidence/review/issues").index(index).into_string();
        let summary = format!("review issue `{}`: {}", issue.id, issue.summary);
        let finding = if issue.edit.is_some() {
            let finding = report.at(pointer, summary);
            finding.resolve(ResolutionKind::AfterFix, "make the edit that the review asks for");
            finding
        } else {
            let finding = report.otherwise_at(pointer, summary);
            finding.resolve(
                ResolutionKind::ProvideEvidence,
                "have the review say which edit would resolve the issue",
            );
            finding
        };
        finding.item(item);
    }
}
