//! The built-in rules: what each is called and what its findings call for.

use super::Status;

/// The name of the finding that stands for those that are left out. No rule of a policy may have it.
pub const FINDINGS_OMITTED: &str = "findings_omitted";

/// What the table says about one rule (SPEC section 3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleRow {
    /// The rule's name, as findings carry it.
    pub name: &'static str,
    /// The status its findings call for.
    pub status: Status,
    /// The other status it may call for, for the few rules that have two.
    pub alternative: Option<Status>,
    /// The risk flag it raises.
    pub flag: Option<&'static str>,
    /// The code of the blockers it raises.
    pub blocker: Option<&'static str>,
    /// Whether it looks at earlier findings instead of at evidence: such a finding never counts as a cause.
    pub escalation: bool,
    /// Whether its findings are failing checks, which raise a blocker at any status.
    pub failing_check: bool,
}

/// Declares the rules in the order that findings have.
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
            /// All rules, in the order that findings have.
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

            /// One sentence on when it fires. Beside the row and not in it: who does not ask, does not carry the texts.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => $meaning,)+ }
            }
        }
    };
}

/// The first of its arguments: a default for what a table row leaves out.
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
        meaning: "the harness or a claim says that checks pass while one of them failed"
    },
    TranscriptMismatch = "transcript_mismatch" {
        status: Partial, flag: "transcript_workspace_mismatch",
        meaning: "the agent claims a change, and the diff is empty"
    },
    ErrorButChanged = "error_but_changed" {
        status: NeedsHuman, flag: "transcript_workspace_mismatch", blocker: "error_but_changed",
        meaning: "the agent reports an error, and yet files changed"
    },
    MissingArtifact = "missing_artifact" {
        status: Blocked, flag: "missing_artifact", blocker: "missing_artifact",
        meaning: "a required artifact is absent"
    },
    UnsupportedClaim = "unsupported_claim" {
        status: Blocked, flag: "missing_artifact", blocker: "unsupported_claim",
        meaning: "the agent claims that tests passed, and nothing shows that any ran"
    },
    RepeatedContradiction = "repeated_contradiction" {
        status: Unsafe, flag: "repeated_contradiction", blocker: "repeated_contradiction", escalation: true,
        meaning: "a contradiction now, and a contradiction flag earlier"
    },
    Goldens = "goldens" {
        status: NeedsHuman, flag: "proposed_goldens_present", blocker: "goldens_need_approval",
        meaning: "the harness proposes new goldens"
    },
    Approval = "approval" {
        status: NeedsHuman, blocker: "approval_required",
        meaning: "an approval is required and not granted, or a protected file changed"
    },
    RepeatedPartial = "repeated_partial" {
        status: NeedsHuman, flag: "repeated_partial_loop", blocker: "repeated_partial_loop", escalation: true,
        meaning: "too many partial results in a row"
    },
    RepeatedBlocker = "repeated_blocker" {
        status: NeedsHuman, flag: "repeated_blocker", blocker: "repeated_blocker", escalation: true,
        meaning: "the same blocker again, without net improvement of the diff"
    },
    RefinementSpent = "refinement_spent" {
        status: NeedsHuman, blocker: "refinement_spent", escalation: true,
        meaning: "a fix is called for, and the refinements allowed are spent"
    },
    HardFailure = "hard_failure" {
        status: Blocked, blocker: "hard_failure",
        meaning: "the step failed with no failing validator to show why, or a required validator has no result"
    },
    Interrupted = "interrupted" {
        status: Partial or Blocked, blocker: "interrupted",
        meaning: "the step was killed by a time limit, once (partial) or twice in the same way (blocked)"
    },
    ValidationFailed = "validation_failed" {
        status: Partial, blocker: "validation_failed", failing_check: true,
        meaning: "a check failed, and the evidence shows how to fix it"
    },
    NoFixPath = "no_fix_path" {
        status: Blocked, blocker: "no_fix_path", failing_check: true,
        meaning: "a check failed, and nothing shows how to fix it"
    },
    CountMismatch = "count_mismatch" {
        status: NeedsHuman, flag: "harness_count_mismatch", blocker: "harness_count_mismatch",
        meaning: "the harness's counts disagree with its cases"
    },
    ReviewIssue = "review_issue" {
        status: Partial or Blocked, blocker: "review_issue",
        meaning: "the review found a medium or high issue, with an edit (partial) or without (blocked)"
    },
    EmptyDiff = "empty_diff" {
        status: Partial,
        meaning: "the step was to change something, changed nothing, and does not say why"
    },
    NoFixStep = "no_fix_step" {
        status: Partial,
        meaning: "a fix is called for, and no fix step is legal"
    },
    UnknownEvidence = "unknown_evidence" {
        status: NeedsHuman, blocker: "unknown_evidence",
        meaning: "evidence that the policy or the envelope asks for cannot be known"
    },
    Unchecked = "unchecked" {
        status: NeedsHuman, flag: "unchecked", blocker: "unchecked",
        meaning: "nothing is wrong, but no check has a result and nobody said that none is required"
    },
    Unreviewed = "unreviewed" {
        status: NeedsHuman, flag: "unreviewed", blocker: "unreviewed",
        meaning: "nothing is wrong, but the policy asks for a review and there is none"
    },
    AmbiguousRoute = "ambiguous_route" {
        status: NeedsHuman, blocker: "ambiguous_route",
        meaning: "nothing is wrong, but two or more next steps are unclassified and none is declared forward"
    },
}
