//! The evidence package of an envelope as it is on the wire (OA06 section 2, SPEC section 3.1).

mod diff;
mod report;

use alloc::{collections::BTreeMap, vec::Vec};

use adjudicate_lang::{json::Nullable, paths::Pattern};
use serde::{Deserialize, Serialize, de};

use super::envelope::Outcome;
use crate::codes::Severity;

pub use diff::{Change, Diff, DiffFile, FileKind};
pub use report::{Case, CaseStatus, HarnessReport, HarnessSummary, Notes, UxFlag};

/// What is known of the step that is evaluated.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "an evidence object")]
pub struct Evidence<'a> {
    /// What the agent or validators said, in the line or JSON format of SPEC section 3.2.
    pub transcript_summary: &'a str,
    /// What changed, as git prints it: `git status`, `git diff` and most of their formats (`DIFFS.md` lists them).
    pub workspace_diff_summary: &'a str,
    /// How the validators ended.
    #[serde(borrow)]
    pub validation: Validation<'a>,
    /// The parsed report of a test harness.
    #[serde(default)]
    pub harness_report: Nullable<HarnessReport<'a>>,
    /// The artifacts that there are.
    #[serde(deserialize_with = "adjudicate_lang::json::exact")]
    pub artifacts: Vec<&'a str>,
    /// Signals of the kernel, `class` or `class:detail`.
    #[serde(deserialize_with = "adjudicate_lang::json::exact")]
    pub policy_events: Vec<&'a str>,
    /// What the step was for; wins over the transcript.
    #[serde(default)]
    pub step_intent: Option<Intent>,
    /// What the agent claims; wins over the transcript.
    #[serde(default)]
    #[serde(deserialize_with = "adjudicate_lang::json::exact_option")]
    pub claims: Option<Vec<Claim>>,
    /// Paths or globs that must be among the artifacts. A path is met by a file of that very path, a glob by a file that it
    /// matches. Files below a match count only where the entry ends in `/` or has a segment `**`.
    #[serde(default)]
    #[serde(deserialize_with = "adjudicate_lang::json::exact")]
    pub required_artifacts: Vec<Pattern<'a>>,
    /// Validators that must have a result. An empty list says that no check is required.
    #[serde(default)]
    #[serde(deserialize_with = "adjudicate_lang::json::exact_option")]
    pub required_validators: Option<Vec<&'a str>>,
    /// What changed; replaces the summary.
    #[serde(default)]
    pub diff: Option<Diff<'a>>,
    /// The outcome of a review.
    #[serde(default)]
    pub review: Option<Review<'a>>,
    /// Approvals required and granted.
    #[serde(default)]
    pub approvals: Option<Approvals<'a>>,
    /// Evidence that could not be collected. Each item calls for a human.
    #[serde(default)]
    #[serde(deserialize_with = "adjudicate_lang::json::exact")]
    pub uncollected: Vec<Uncollected<'a>>,
}

/// Evidence that could not be collected.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "an object with `what` and `reason`")]
pub struct Uncollected<'a> {
    /// The evidence, for example `coverage`.
    pub what: &'a str,
    /// Why it could not be collected.
    pub reason: &'a str,
}

/// How the validators ended. Other members are carried and ignored, unless their name is close to one of these (OA06 section 2
/// names the minimum).
#[derive(Clone, Debug)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Validation<'a> {
    /// How the step itself ended.
    pub mechanical_outcome: Outcome,
    /// Exit code by validator id.
    pub exit_codes: BTreeMap<&'a str, i64>,
    /// Validators that ran out of time.
    pub timeouts: Vec<&'a str>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Validation<'a> {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// The name tells the reader to skip members that are not declared.
        #[derive(Deserialize)]
        #[serde(rename = "open", expecting = "a validation object")]
        struct Members<'a> {
            mechanical_outcome: Outcome,
            #[serde(borrow)]
            exit_codes: BTreeMap<&'a str, i64>,
            #[serde(deserialize_with = "adjudicate_lang::json::exact")]
            timeouts: Vec<&'a str>,
        }
        let Members { mechanical_outcome, exit_codes, timeouts } = Members::deserialize(deserializer)?;
        Ok(Self { mechanical_outcome, exit_codes, timeouts })
    }
}

/// What a step was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// To write something new.
    Implement,
    /// To mend something.
    Fix,
    /// To judge.
    Review,
    /// To find out.
    Investigate,
    /// To write documentation.
    Document,
    /// Anything else.
    Other,
}

impl Intent {
    /// The word as it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Implement => "implement",
            Self::Fix => "fix",
            Self::Review => "review",
            Self::Investigate => "investigate",
            Self::Document => "document",
            Self::Other => "other",
        }
    }
}

/// What an agent says of its own work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// Something new is there.
    Implemented,
    /// Something is mended.
    Fixed,
    /// The tests passed.
    TestsPassed,
    /// It could not do its work.
    ErrorReported,
    /// There was nothing to change.
    NoChangeNeeded,
}

impl Claim {
    /// The word as it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Implemented => "implemented",
            Self::Fixed => "fixed",
            Self::TestsPassed => "tests_passed",
            Self::ErrorReported => "error_reported",
            Self::NoChangeNeeded => "no_change_needed",
        }
    }
}

/// The outcome of a review.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "a review object")]
pub struct Review<'a> {
    /// Where the review is kept.
    pub artifact_ref: &'a str,
    /// What it found.
    #[serde(borrow)]
    #[serde(deserialize_with = "adjudicate_lang::json::exact")]
    pub issues: Vec<ReviewIssue<'a>>,
}

/// One finding of a review.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "a review issue object")]
pub struct ReviewIssue<'a> {
    /// The issue.
    pub id: &'a str,
    /// What it is.
    pub summary: &'a str,
    /// How grave it is.
    pub severity: Severity,
    /// What backs it.
    #[serde(default)]
    pub evidence_ref: Nullable<&'a str>,
    /// What would mend it.
    #[serde(default)]
    #[serde(borrow)]
    pub edit: Option<Edit<'a>>,
}

/// A change that a review asks for (OA06 section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "an edit object")]
pub struct Edit<'a> {
    /// What to change.
    pub target: &'a str,
    /// How.
    pub action: &'a str,
    /// Why.
    pub rationale: &'a str,
}

/// Approvals required and granted.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "an approvals object")]
pub struct Approvals<'a> {
    /// What must be approved.
    #[serde(deserialize_with = "adjudicate_lang::json::exact")]
    pub required: Vec<&'a str>,
    /// What has been approved.
    #[serde(borrow)]
    #[serde(deserialize_with = "adjudicate_lang::json::exact")]
    pub granted: Vec<&'a str>,
}
