//! The inputs of the built-in rules, and the expected and actual values for findings without them: one row for each rule.

use alloc::vec::Vec;

use crate::{
    codes::{RuleCode, Severity},
    documents::finding::{Finding, Shown},
    evaluate::{Facts, Judged},
    policy::{Fact, Parameter, is_of_inputs},
};

/// The facts that a rule uses.
pub(super) const fn facts_of(code: RuleCode) -> &'static [Fact] {
    use Fact as F;
    match code {
        RuleCode::PolicyViolation => &[F::EventsViolations, F::Outcome, F::DiffForbidden],
        RuleCode::ReportMismatch => &[F::HarnessPasses, F::Claims, F::ValidatorsFailing, F::Outcome],
        RuleCode::TranscriptMismatch | RuleCode::EmptyDiff => &[F::Claims, F::Intent, F::DiffEmpty],
        RuleCode::ErrorButChanged => &[F::Claims, F::DiffEmpty],
        RuleCode::MissingArtifact => &[F::ArtifactsMissing],
        RuleCode::UnsupportedClaim => &[F::Claims, F::ValidatorsCount, F::HarnessPasses],
        RuleCode::RepeatedContradiction => &[F::Contradictions, F::HistoryFlags],
        RuleCode::Goldens => &[F::HarnessGoldens],
        RuleCode::Approval => &[F::ApprovalsMissing, F::DiffProtected, F::ApprovalsGranted],
        RuleCode::RepeatedPartial => &[F::HistoryPartials],
        RuleCode::RepeatedBlocker => &[F::HistoryCount, F::DiffImproved, F::Failures],
        RuleCode::RefinementSpent => &[F::RefinementSpent, F::RefinementCap],
        RuleCode::HardFailure => &[F::Outcome, F::ValidatorsFailing, F::ValidatorsMissing],
        RuleCode::Interrupted => &[F::Outcome],
        RuleCode::ValidationFailed | RuleCode::NoFixPath => &[F::ValidatorsFailing, F::HarnessFailing],
        RuleCode::CountMismatch => &[F::HarnessPassed, F::HarnessFailed, F::HarnessFlaky, F::HarnessFailing],
        RuleCode::TestsShrunk => &[F::TestsLost],
        RuleCode::ReviewIssue => &[F::ReviewHigh, F::ReviewMedium],
        // They use the status and the roles of the allowed steps.
        RuleCode::NoFixStep | RuleCode::AmbiguousRoute => &[],
        // No fact shows trees.
        RuleCode::StaleEvidence => &[],
        RuleCode::UnknownEvidence => &[F::DiffOpaque, F::DiffForbidden, F::DiffProtected],
        RuleCode::Unchecked => &[F::ValidatorsCount, F::HarnessPassed, F::HarnessFailed],
        RuleCode::Unreviewed => &[F::ReviewPresent],
    }
}

/// The parameters that a rule uses.
pub(super) const fn parameters_of(code: RuleCode) -> &'static [Parameter] {
    match code {
        RuleCode::RepeatedPartial => &[Parameter::PartialThreshold],
        RuleCode::RepeatedBlocker => &[Parameter::BlockerRepeat],
        RuleCode::RefinementSpent => &[Parameter::RefinementCap],
        RuleCode::PolicyViolation
        | RuleCode::HardFailure
        | RuleCode::Goldens
        | RuleCode::ErrorButChanged
        | RuleCode::Approval
        | RuleCode::ReportMismatch
        | RuleCode::TranscriptMismatch
        | RuleCode::UnsupportedClaim
        | RuleCode::MissingArtifact
        | RuleCode::StaleEvidence
        | RuleCode::RepeatedContradiction
        | RuleCode::CountMismatch
        | RuleCode::Interrupted
        | RuleCode::ValidationFailed
        | RuleCode::NoFixPath
        | RuleCode::TestsShrunk
        | RuleCode::ReviewIssue
        | RuleCode::EmptyDiff
        | RuleCode::NoFixStep
        | RuleCode::UnknownEvidence
        | RuleCode::Unchecked
        | RuleCode::Unreviewed
        | RuleCode::AmbiguousRoute => &[],
    }
}

/// The pointer to the part of the envelope from which a fact is read, or would be.
pub(super) fn source(fact: Fact, facts: &Facts<'_>) -> &'static str {
    let evidence = facts.evidence();
    match fact {
        Fact::Intent if evidence.step_intent.is_some() => "/evidence/step_intent",
        Fact::Intent => "/evidence/transcript_summary",
        Fact::Claims | Fact::Contradictions => facts.claims_pointer(),
        Fact::Outcome => "/evidence/validation/mechanical_outcome",
        Fact::DiffEmpty
        | Fact::DiffOpaque
        | Fact::DiffPaths
        | Fact::DiffFiles
        | Fact::DiffCount
        | Fact::DiffForbidden
        | Fact::DiffProtected
        | Fact::DiffImproved => facts.diff_pointer(),
        Fact::DiffInsertions | Fact::DiffDeletions => "/evidence/diff",
        Fact::Failures => "/evidence/validation",
        Fact::ValidatorsPassing
        | Fact::ValidatorsFailing
        | Fact::ValidatorsMissing
        | Fact::ValidatorsCount => "/evidence/validation/exit_codes",
        Fact::ValidatorsTimedOut => "/evidence/validation/timeouts",
        Fact::HarnessPresent | Fact::HarnessPasses => "/evidence/harness_report",
        Fact::HarnessPassed | Fact::HarnessFailed | Fact::HarnessSkipped | Fact::HarnessFlaky
            if facts.harness().is_none_or(|report| report.cases.is_empty()) =>
        {
            "/evidence/harness_report/summary"
        }
        Fact::HarnessPassed
        | Fact::HarnessFailed
        | Fact::HarnessSkipped
        | Fact::HarnessFlaky
        | Fact::HarnessFailing
        | Fact::HarnessRepeats => "/evidence/harness_report/cases",
        Fact::HarnessGoldens => "/evidence/harness_report/proposed_goldens",
        Fact::UxHigh | Fact::UxMedium | Fact::UxLow => "/evidence/harness_report/ux_flags",
        Fact::TestsKnown | Fact::TestsNewFailures | Fact::TestsLost | Fact::TestsSkippedNow => {
            "/evidence/baseline"
        }
        Fact::ArtifactsMissing => "/evidence/artifacts",
        Fact::ApprovalsMissing | Fact::ApprovalsGranted => "/evidence/approvals/granted",
        Fact::ReviewPresent => "/evidence/review",
        Fact::ReviewHigh | Fact::ReviewMedium | Fact::ReviewLow => "/evidence/review/issues",
        Fact::EventsClasses | Fact::EventsViolations | Fact::EventsWarnings => "/evidence/policy_events",
        Fact::HistoryCount | Fact::HistoryLast | Fact::HistoryPartials | Fact::HistoryFlags => {
            facts.history().1
        }
        Fact::RefinementCap | Fact::RefinementSpent => "/refinement",
    }
}

/// The expected value of a rule whose findings have none.
pub(super) fn wanted<'a>(finding: &Finding<'a>) -> Shown<'a> {
    let Some(code) = finding.code() else {
        return if finding.count.is_some() { "no finding" } else { "a condition that does not hold" }.into();
    };
    match code {
        RuleCode::PolicyViolation => match &*finding.evidence_ref {
            "/evidence/validation/mechanical_outcome" => "completed",
            _ => "no violation",
        },
        RuleCode::ReportMismatch => "reports that agree",
        RuleCode::TranscriptMismatch | RuleCode::EmptyDiff => "a change in the workspace",
        RuleCode::ErrorButChanged => "no change",
        RuleCode::MissingArtifact => "the artifact",
        RuleCode::StaleEvidence => "a result of the tree that is judged",
        RuleCode::UnsupportedClaim => "a validator result or a passing harness report",
        RuleCode::RepeatedContradiction => "no contradiction after one that was flagged before",
        RuleCode::Goldens => return Shown::List(Vec::new()),
        RuleCode::Approval => "an approval",
        RuleCode::RepeatedPartial => "fewer partial results in a row",
        RuleCode::RepeatedBlocker => "other blockers than before, or an improvement",
        RuleCode::RefinementSpent => "a refinement that is left",
        RuleCode::HardFailure => "a result",
        RuleCode::Interrupted => "completed",
        RuleCode::ValidationFailed | RuleCode::NoFixPath => "passed",
        RuleCode::CountMismatch => "counts that agree with the cases",
        RuleCode::TestsShrunk => "the tests of the base revision",
        RuleCode::ReviewIssue => "no issue of medium or high severity",
        RuleCode::NoFixStep => "a fix step",
        RuleCode::UnknownEvidence => "evidence by which the condition can be decided",
        RuleCode::Unchecked => "the result of a check",
        RuleCode::Unreviewed => "a review",
        RuleCode::AmbiguousRoute => "one forward step",
    }
    .into()
}

/// The actual value of a rule whose findings have none.
pub(super) fn found<'a>(facts: &Judged<'a>, finding: &Finding<'a>) -> Shown<'a> {
    if let Some(count) = finding.count {
        return Shown::Count(count);
    }
    let Some(code) = finding.code() else {
        let verdict = finding.place().and_then(|place| facts.verdict(place));
        let is_undecided = verdict.is_some_and(|verdict| verdict.unknown.is_some());
        return if is_undecided { "it cannot be decided" } else { "it holds" }.into();
    };
    match code {
        RuleCode::MissingArtifact => "no artifact matches",
        RuleCode::UnsupportedClaim => "neither",
        RuleCode::Approval => "not granted",
        RuleCode::HardFailure | RuleCode::Unchecked => "no result",
        RuleCode::Unreviewed => "no review",
        RuleCode::UnknownEvidence if is_of_inputs(&finding.item) => "another value",
        RuleCode::UnknownEvidence => "unknown",
        RuleCode::ReviewIssue => {
            let issues = facts.results().review().map_or(&[][..], |review| &review.issues);
            let issue = last_index(&finding.evidence_ref).and_then(|index| issues.get(index));
            match issue.map(|issue| issue.severity) {
                Some(Severity::High) => "an issue of high severity",
                Some(Severity::Medium) => "an issue of medium severity",
                Some(Severity::Low) | None => "an issue",
            }
        }
        // Their findings have an actual value.
        RuleCode::PolicyViolation
        | RuleCode::ReportMismatch
        | RuleCode::TranscriptMismatch
        | RuleCode::ErrorButChanged
        | RuleCode::StaleEvidence
        | RuleCode::RepeatedContradiction
        | RuleCode::Goldens
        | RuleCode::RepeatedPartial
        | RuleCode::RepeatedBlocker
        | RuleCode::RefinementSpent
        | RuleCode::Interrupted
        | RuleCode::ValidationFailed
        | RuleCode::NoFixPath
        | RuleCode::TestsShrunk
        | RuleCode::CountMismatch
        | RuleCode::EmptyDiff
        | RuleCode::NoFixStep
        | RuleCode::AmbiguousRoute => "something else",
    }
    .into()
}

/// The list index at the end of a pointer.
pub(super) fn last_index(pointer: &str) -> Option<usize> {
    pointer.rsplit('/').next()?.parse().ok()
}
