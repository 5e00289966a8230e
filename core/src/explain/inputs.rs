//! The inputs of the built-in rules, and the expected and actual values for findings without them: one row for each rule.

use alloc::vec::Vec;

use crate::{
    codes::{RuleCode, Severity},
    documents::finding::{Finding, Shown},
    evaluate::{Facts, Judged},
    policy::{Fact, Parameter, Root, is_of_inputs},
};

/// The facts and parameters that a rule uses.
pub(super) const fn inputs_of(code: RuleCode) -> &'static [Root] {
    use Fact::*;
    use Parameter::{BlockerRepeat, PartialThreshold};
    use Root::{Fact as F, Parameter as P};
    match code {
        RuleCode::PolicyViolation => &[F(EventsViolations), F(Outcome), F(DiffForbidden)],
        RuleCode::ReportMismatch => &[F(HarnessPasses), F(Claims), F(ValidatorsFailing), F(Outcome)],
        RuleCode::TranscriptMismatch | RuleCode::EmptyDiff => &[F(Claims), F(Intent), F(DiffEmpty)],
        RuleCode::ErrorButChanged => &[F(Claims), F(DiffEmpty)],
        RuleCode::MissingArtifact => &[F(ArtifactsMissing)],
        RuleCode::UnsupportedClaim => &[F(Claims), F(ValidatorsCount), F(HarnessPasses)],
        RuleCode::RepeatedContradiction => &[F(Contradictions), F(HistoryFlags)],
        RuleCode::Goldens => &[F(HarnessGoldens)],
        RuleCode::Approval => &[F(ApprovalsMissing), F(DiffProtected), F(ApprovalsGranted)],
        RuleCode::RepeatedPartial => &[F(HistoryPartials), P(PartialThreshold)],
        RuleCode::RepeatedBlocker => &[F(HistoryCount), F(DiffImproved), F(Failures), P(BlockerRepeat)],
        RuleCode::RefinementSpent => &[F(RefinementSpent), F(RefinementCap), P(Parameter::RefinementCap)],
        RuleCode::HardFailure => &[F(Outcome), F(ValidatorsFailing), F(ValidatorsMissing)],
        RuleCode::Interrupted => &[F(Outcome)],
        RuleCode::ValidationFailed | RuleCode::NoFixPath => &[F(ValidatorsFailing), F(HarnessFailing)],
        RuleCode::CountMismatch => &[F(HarnessPassed), F(HarnessFailed), F(HarnessFlaky), F(HarnessFailing)],
        RuleCode::TestsShrunk => &[F(TestsLost)],
        RuleCode::ReviewIssue => &[F(ReviewHigh), F(ReviewMedium)],
        // They use the status and the roles of the allowed steps.
        RuleCode::NoFixStep | RuleCode::AmbiguousRoute => &[],
        // No fact shows trees.
        RuleCode::StaleEvidence => &[],
        RuleCode::UnknownEvidence => &[F(DiffOpaque), F(DiffForbidden), F(DiffProtected)],
        RuleCode::Unchecked => &[F(ValidatorsCount), F(HarnessPassed), F(HarnessFailed)],
        RuleCode::Unreviewed => &[F(ReviewPresent)],
    }
}

/// The pointer to the part of the envelope from which a fact is read, or would be.
pub(super) fn source(fact: Fact, facts: &Facts<'_>) -> &'static str {
    match fact.row().source {
        "/evidence/step_intent" if facts.evidence().step_intent.is_none() => "/evidence/transcript_summary",
        "/evidence/claims" => facts.claims_pointer(),
        "/evidence/workspace_diff_summary" => facts.diff_pointer(),
        "/evidence/harness_report/summary"
            if facts.harness().is_some_and(|report| !report.cases.is_empty()) =>
        {
            "/evidence/harness_report/cases"
        }
        "/evaluate_history" => facts.history().1,
        source => source,
    }
}

/// The expected and the actual value of a rule whose findings have none.
pub(super) fn expected_and_actual<'a>(facts: &Judged<'a>, finding: &Finding<'a>) -> (Shown<'a>, Shown<'a>) {
    /// The actual value of rules whose findings have one.
    const OTHER: &str = "something else";
    if let Some(count) = finding.count {
        return ("no finding".into(), Shown::Count(count));
    }
    let Some(code) = finding.code() else {
        let verdict = finding.place().and_then(|place| facts.verdict(place));
        let is_undecided = verdict.is_some_and(|verdict| verdict.unknown.is_some());
        let actual = if is_undecided { "it cannot be decided" } else { "it holds" };
        return ("a condition that does not hold".into(), actual.into());
    };
    let (expected, actual) = match code {
        RuleCode::PolicyViolation => match &*finding.evidence_ref {
            "/evidence/validation/mechanical_outcome" => ("completed", OTHER),
            _ => ("no violation", OTHER),
        },
        RuleCode::ReportMismatch => ("reports that agree", OTHER),
        RuleCode::TranscriptMismatch | RuleCode::EmptyDiff => ("a change in the workspace", OTHER),
        RuleCode::ErrorButChanged => ("no change", OTHER),
        RuleCode::MissingArtifact => ("the artifact", "no artifact matches"),
        RuleCode::StaleEvidence => ("a result of the tree that is judged", OTHER),
        RuleCode::UnsupportedClaim => ("a validator result or a passing harness report", "neither"),
        RuleCode::RepeatedContradiction => ("no contradiction after one that was flagged before", OTHER),
        RuleCode::Goldens => return (Shown::List(Vec::new()), OTHER.into()),
        RuleCode::Approval => ("an approval", "not granted"),
        RuleCode::RepeatedPartial => ("fewer partial results in a row", OTHER),
        RuleCode::RepeatedBlocker => ("other blockers than before, or an improvement", OTHER),
        RuleCode::RefinementSpent => ("a refinement that is left", OTHER),
        RuleCode::HardFailure => ("a result", "no result"),
        RuleCode::Interrupted => ("completed", OTHER),
        RuleCode::ValidationFailed | RuleCode::NoFixPath => ("passed", OTHER),
        RuleCode::CountMismatch => ("counts that agree with the cases", OTHER),
        RuleCode::TestsShrunk => ("the tests of the base revision", OTHER),
        RuleCode::ReviewIssue => {
            let issues = facts.results().review().map_or(&[][..], |review| &review.issues);
            let issue = last_index(&finding.evidence_ref).and_then(|index| issues.get(index));
            let actual = match issue.map(|issue| issue.severity) {
                Some(Severity::High) => "an issue of high severity",
                Some(Severity::Medium) => "an issue of medium severity",
                Some(Severity::Low) | None => "an issue",
            };
            ("no issue of medium or high severity", actual)
        }
        RuleCode::NoFixStep => ("a fix step", OTHER),
        RuleCode::UnknownEvidence => {
            let actual = if is_of_inputs(&finding.item) { "another value" } else { "unknown" };
            ("evidence by which the condition can be decided", actual)
        }
        RuleCode::Unchecked => ("the result of a check", "no result"),
        RuleCode::Unreviewed => ("a review", "no review"),
        RuleCode::AmbiguousRoute => ("one forward step", OTHER),
    };
    (expected.into(), actual.into())
}

/// The list index at the end of a pointer.
pub(super) fn last_index(pointer: &str) -> Option<usize> {
    pointer.rsplit('/').next()?.parse().ok()
}
