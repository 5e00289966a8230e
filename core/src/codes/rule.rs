//! The table of built-in rules: names, statuses, flags and blockers.

use super::Status;

/// The name of the finding for those that are left out. No rule of a policy may have it.
pub const FINDINGS_OMITTED: &str = "findings_omitted";

/// A row of the table: one rule (docs/reference/rules.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleRow {
    /// The rule's name in findings.
    pub name: &'static str,
    /// The status that its findings call for.
    pub status: Status,
    /// The second status of the few rules that have two.
    pub alternative: Option<Status>,
    /// The risk flag that it raises.
    pub flag: Option<&'static str>,
    /// The code of its blockers.
    pub blocker: Option<&'static str>,
    /// True if it looks at earlier findings instead of at evidence. Such a finding never counts as a cause.
    pub escalation: bool,
    /// True if its findings are failing checks, which raise a blocker at any status.
    pub failing_check: bool,
}

/// Declares the rules in the order of findings.
macro_rules! rule_codes {
    ($($name:ident = $text:literal {
        status: $status:ident $(or $alternative:ident)?,
        $(flag: $flag:literal,)? $(blocker: $blocker:literal,)? $(escalation: $escalation:literal,)?
        $(failing_check: $check:literal,)? meaning: $meaning:literal
    },)+) => {
        /// A built-in rule; the order of the variants is the order of findings.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum RuleCode { $(#[doc = $meaning] $name,)+ }

        impl RuleCode {
            /// All rules, in the order of findings.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// The rule's row of the table.
            ///
            /// ```
            /// use adjudicate_core::{RuleCode, evaluate::Status};
            /// let row = RuleCode::Goldens.row();
            /// assert_eq!((row.name, row.status), ("goldens", Status::NeedsHuman));
            /// ```
            #[must_use]
            pub const fn row(self) -> RuleRow {
                *match self {
                    $(Self::$name => &const { RuleRow {
                        name: $text,
                        status: Status::$status,
                        alternative: first!($(Some(Status::$alternative),)? None),
                        flag: first!($(Some($flag),)? None),
                        blocker: first!($(Some($blocker),)? None),
                        escalation: first!($($escalation,)? false),
                        failing_check: first!($($check,)? false),
                    } },)+
                }
            }

            /// The meaning in one sentence. A method instead of a field, so that programs that do not use the texts do not
            /// contain them.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => $meaning,)+ }
            }
        }
    };
}

/// The first argument: a default for a value that a row leaves out.
macro_rules! first {
    ($first:expr $(, $rest:expr)*) => {
        $first
    };
}

rule_codes! {
    PolicyViolation = "policy_violation" {
        status: Unsafe, flag: "policy_violation", blocker: "policy_violation",
        meaning: "a violation event, a run killed by policy, or a changed file under a forbidden path"
    },
    ReportMismatch = "report_mismatch" {
        status: Unsafe, flag: "report_execution_mismatch", blocker: "report_execution_mismatch",
        meaning: "the harness or a claim reports passing checks, but a check failed"
    },
    TranscriptMismatch = "transcript_mismatch" {
        status: Partial, flag: "transcript_workspace_mismatch",
        meaning: "the agent claims a change, but the diff is empty"
    },
    ErrorButChanged = "error_but_changed" {
        status: NeedsHuman, flag: "transcript_workspace_mismatch", blocker: "error_but_changed",
        meaning: "the agent reports an error, but files changed"
    },
    MissingArtifact = "missing_artifact" {
        status: Blocked, flag: "missing_artifact", blocker: "missing_artifact",
        meaning: "a required artifact is absent"
    },
    StaleEvidence = "stale_evidence" {
        status: Partial, blocker: "stale_evidence", failing_check: true,
        meaning: "a result is about another tree than the one that is judged"
    },
    UnsupportedClaim = "unsupported_claim" {
        status: Blocked, flag: "missing_artifact", blocker: "unsupported_claim",
        meaning: "the agent claims that tests passed, but no evidence shows a test run"
    },
    RepeatedContradiction = "repeated_contradiction" {
        status: Unsafe, flag: "repeated_contradiction", blocker: "repeated_contradiction", escalation: true,
        meaning: "the evidence contradicts itself, and an earlier step has a contradiction flag"
    },
    Goldens = "goldens" {
        status: NeedsHuman, flag: "proposed_goldens_present", blocker: "goldens_need_approval",
        meaning: "the harness proposes new golden files"
    },
    Approval = "approval" {
        status: NeedsHuman, blocker: "approval_required",
        meaning: "a required approval is missing, or a protected file changed"
    },
    RepeatedPartial = "repeated_partial" {
        status: NeedsHuman, flag: "repeated_partial_loop", blocker: "repeated_partial_loop", escalation: true,
        meaning: "too many partial results in a row"
    },
    RepeatedBlocker = "repeated_blocker" {
        status: NeedsHuman, flag: "repeated_blocker", blocker: "repeated_blocker", escalation: true,
        meaning: "the same blocker came again, and the diff did not improve"
    },
    RefinementSpent = "refinement_spent" {
        status: NeedsHuman, blocker: "refinement_spent", escalation: true,
        meaning: "a fix is needed, but no refinement is left"
    },
    HardFailure = "hard_failure" {
        status: Blocked, blocker: "hard_failure",
        meaning: "the step failed without a failing validator, or a required validator has no result"
    },
    Interrupted = "interrupted" {
        status: Partial or Blocked, blocker: "interrupted",
        meaning: "a time limit ended the step: once (partial), or twice in a row in the same way (blocked)"
    },
    ValidationFailed = "validation_failed" {
        status: Partial, blocker: "validation_failed", failing_check: true,
        meaning: "a check failed, and the evidence helps to fix it"
    },
    NoFixPath = "no_fix_path" {
        status: Blocked, blocker: "no_fix_path", failing_check: true,
        meaning: "a check failed, and no evidence helps to fix it"
    },
    CountMismatch = "count_mismatch" {
        status: NeedsHuman, flag: "harness_count_mismatch", blocker: "harness_count_mismatch",
        meaning: "the harness's counts disagree with its cases"
    },
    TestsShrunk = "tests_shrunk" {
        status: Partial, flag: "tests_shrunk", blocker: "tests_shrunk", failing_check: true,
        meaning: "tests of the base revision do not run any more, and nothing accounts for it"
    },
    ReviewIssue = "review_issue" {
        status: Partial or Blocked, blocker: "review_issue",
        meaning: "the review found a medium or high issue, with an edit (partial) or without (blocked)"
    },
    EmptyDiff = "empty_diff" {
        status: Partial,
        meaning: "the step had to change something, changed nothing, and gives no reason"
    },
    NoFixStep = "no_fix_step" {
        status: Partial,
        meaning: "a fix is needed, but no fix step is allowed"
    },
    UnknownEvidence = "unknown_evidence" {
        status: NeedsHuman, blocker: "unknown_evidence",
        meaning: "evidence that the policy or the envelope needs is unknown"
    },
    Unchecked = "unchecked" {
        status: NeedsHuman, flag: "unchecked", blocker: "unchecked",
        meaning: "no other finding, but no check has a result, and checks are not waived"
    },
    Unreviewed = "unreviewed" {
        status: NeedsHuman, flag: "unreviewed", blocker: "unreviewed",
        meaning: "no other finding, but the review that the policy needs is missing"
    },
    AmbiguousRoute = "ambiguous_route" {
        status: NeedsHuman, blocker: "ambiguous_route",
        meaning: "no other finding, but several next steps are unclassified and none is a forward step"
    },
}
