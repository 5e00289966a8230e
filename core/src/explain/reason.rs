//! Reasons: the expected and actual value of each finding, its effect, and the rule that overruled it.

use alloc::{borrow::Cow, vec::Vec};

use super::{condition::ConditionSplitter, inputs::expected_and_actual};
use crate::{
    codes::Status,
    documents::{
        evaluation::Evaluation,
        explanation::{Overruled, Reason},
        finding::Finding,
    },
    evaluate::Judged,
};

/// One reason for each finding.
pub(super) fn reasons<'a>(facts: &'a Judged<'a>, evaluation: &'a Evaluation<'a>) -> Vec<Reason<'a>> {
    let winner = evaluation.cause;
    let status = evaluation.decision.status;
    let mut conditions = ConditionSplitter::new(facts);
    let reason = |finding: &'a Finding<'a>| {
        let (expected, actual) = expected_and_actual(facts, finding);
        Reason {
            rule: finding.rule,
            status: finding.status,
            evidence_ref: &finding.evidence_ref,
            expected: finding.expected.as_ref().map_or(Cow::Owned(expected), Cow::Borrowed),
            actual: finding.actual.as_ref().map_or(Cow::Owned(actual), Cow::Borrowed),
            decisive: finding.counts() && finding.status == status,
            overruled_by: winner.filter(|_| finding.counts() && finding.status < status),
            mode: finding.mode,
            conditions: conditions.parts_of_finding(finding),
        }
    };
    evaluation.findings.iter().map(reason).collect()
}

/// The findings that lost to a more severe status.
pub(super) fn overruled<'a>(evaluation: &'a Evaluation<'a>) -> Vec<Overruled<'a>> {
    let Some(winner) = evaluation.cause else { return Vec::new() };
    let by_status = evaluation.decision.status;
    let mut losers: Vec<Overruled<'a>> = Vec::new();
    for finding in evaluation.findings.iter().filter(|one| one.counts() && one.status < by_status) {
        // Findings of one rule are adjacent.
        let known = losers.iter_mut().rev().take_while(|loser| loser.rule == finding.rule);
        match known.into_iter().find(|loser| loser.status == finding.status) {
            Some(loser) => loser.findings += 1,
            None => losers.push(Overruled {
                rule: finding.rule,
                status: finding.status,
                findings: 1,
                by: winner,
                by_status,
                why: why(by_status),
            }),
        }
    }
    losers
}

/// The reason why a status wins against all less severe ones.
const fn why(status: Status) -> &'static str {
    match status {
        Status::Unsafe => "`unsafe` is the most severe status",
        Status::NeedsHuman => "`needs_human` is more severe than `blocked` and `partial`",
        Status::Blocked => "`blocked` is more severe than `partial`",
        // No finding can call for a less severe status.
        Status::Partial | Status::Success => "",
    }
}
