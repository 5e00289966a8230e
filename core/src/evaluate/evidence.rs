//! The evidence package of an envelope as it is on the wire (OA06 section 2, SPEC section 3.1).

use alloc::{collections::BTreeMap, vec::Vec};
use core::fmt;

use serde::{Deserialize, Serialize, de};

use super::envelope::Outcome;
use crate::{codes::Severity, json::Nullable, paths::Pattern};

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
    pub artifacts: Vec<&'a str>,
    /// Signals of the kernel, `class` or `class:detail`.
    pub policy_events: Vec<&'a str>,
    /// What the step was for; wins over the transcript.
    #[serde(default)]
    pub step_intent: Option<Intent>,
    /// What the agent claims; wins over the transcript.
    #[serde(default)]
    pub claims: Option<Vec<Claim>>,
    /// Paths or globs that must be among the artifacts. A path is met by a file of that very path, a glob by a file that it
    /// matches. Files below a match count only where the entry ends in `/` or has a segment `**`.
    #[serde(default)]
    pub required_artifacts: Vec<Pattern<'a>>,
    /// Validators that must have a result. An empty list says that no check is required.
    #[serde(default)]
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
            timeouts: Vec<&'a str>,
        }
        let Members { mechanical_outcome, exit_codes, timeouts } = Members::deserialize(deserializer)?;
        Ok(Self { mechanical_outcome, exit_codes, timeouts })
    }
}

/// The report of a test harness. OA06 names only `proposed_goldens`, so every member is optional.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "a harness report object")]
pub struct HarnessReport<'a> {
    /// Which suite ran.
    #[serde(default)]
    pub suite_id: Option<&'a str>,
    /// Its version.
    #[serde(default)]
    pub version: Option<&'a str>,
    /// When the report was made; carried, never read.
    #[serde(default)]
    pub generated_at: Option<&'a str>,
    /// The cases that are listed.
    #[serde(default)]
    #[serde(borrow)]
    pub cases: Vec<Case<'a>>,
    /// The counts. Without them only the listed cases count.
    #[serde(default)]
    pub summary: Option<HarnessSummary>,
    /// Remarks on the user's experience: facts for policies, with no status of their own.
    #[serde(default)]
    pub ux_flags: Vec<UxFlag<'a>>,
    /// Goldens that the harness proposes to replace.
    #[serde(default)]
    pub proposed_goldens: Vec<&'a str>,
}

/// One case of a harness report.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "a harness case object")]
pub struct Case<'a> {
    /// The case.
    pub id: &'a str,
    /// What sort of case it is.
    #[serde(default)]
    pub kind: Option<&'a str>,
    /// How it ended.
    pub status: CaseStatus,
    /// The validator that ran it.
    #[serde(default)]
    pub validator: Option<&'a str>,
    /// A command that reproduces the result.
    #[serde(default)]
    pub repro: Option<&'a str>,
    /// What was seen; carried, never read.
    #[serde(default)]
    #[serde(borrow)]
    pub observations: Option<Notes<'a>>,
    /// Artifacts of the case.
    #[serde(default)]
    pub artifacts: Vec<&'a str>,
}

/// How a case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum CaseStatus {
    /// As it should.
    Passed,
    /// Not as it should.
    Failed,
    /// It did not run.
    Skipped,
    /// Now so, now so: neither passed nor failed.
    Flaky,
}

impl CaseStatus {
    /// The word as it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Flaky => "flaky",
        }
    }
}

/// The counts of a harness report.
#[derive(Clone, Copy, Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "a summary object")]
pub struct HarnessSummary {
    /// How many cases passed.
    pub passed: u64,
    /// How many cases failed.
    pub failed: u64,
    /// How many cases were flaky.
    #[serde(default)]
    pub flaky: Option<u64>,
    /// How long the suite took, in milliseconds; carried, never read.
    #[serde(default)]
    pub duration_ms: Option<u64>,
}

/// A remark on the user's experience.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "a ux flag object")]
pub struct UxFlag<'a> {
    /// How grave it is.
    pub severity: Severity,
    /// Where.
    pub area: &'a str,
    /// What.
    pub description: &'a str,
    /// What backs it.
    #[serde(default)]
    pub evidence_ref: Nullable<&'a str>,
}

/// Text, or a list of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notes<'a>(pub Vec<&'a str>);

impl<'de: 'a, 'a> Deserialize<'de> for Notes<'a> {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrTexts;

        impl<'de> de::Visitor<'de> for TextOrTexts {
            type Value = Notes<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string or a list of strings")
            }

            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Notes(Vec::from([text])))
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut texts = Vec::new();
                while let Some(text) = list.next_element()? {
                    texts.push(text);
                }
                Ok(Notes(texts))
            }
        }

        deserializer.deserialize_any(TextOrTexts)
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

/// A typed diff.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(deny_unknown_fields, expecting = "a diff object")]
pub struct Diff<'a> {
    /// The files that changed.
    #[serde(borrow)]
    pub files: Vec<DiffFile<'a>>,
}

/// One changed file, or a directory of which only the name is known. A rename has the name it had in `from`.
#[derive(Clone, Debug)]
pub struct DiffFile<'a> {
    /// Its path.
    pub path: &'a str,
    /// What happened to it.
    pub change: Change,
    /// The path it had.
    pub from: Option<&'a str>,
    /// What the path names. A path that ends in `/`, and the root, is a directory whatever is said here.
    pub kind: Option<FileKind>,
    /// Lines that came.
    pub insertions: Option<u64>,
    /// Lines that went.
    pub deletions: Option<u64>,
}

impl<'de: 'a, 'a> Deserialize<'de> for DiffFile<'a> {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// The members as they are declared; that a rename has a `from` is checked after.
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields, expecting = "a changed file object")]
        struct Members<'a> {
            path: &'a str,
            change: Change,
            #[serde(default)]
            from: Option<&'a str>,
            #[serde(default)]
            kind: Option<FileKind>,
            #[serde(default)]
            insertions: Option<u64>,
            #[serde(default)]
            deletions: Option<u64>,
        }
        let Members { path, change, from, kind, insertions, deletions } = Members::deserialize(deserializer)?;
        if change == Change::Renamed && from.is_none() {
            return Err(de::Error::missing_field("from"));
        }
        Ok(Self { path, change, from, kind, insertions, deletions })
    }
}

/// What a changed path names (SPEC section 18.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// A file.
    File,
    /// A directory whose files are not listed.
    Directory,
}

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It is new.
    Added,
    /// It has other content.
    Modified,
    /// It is gone.
    Deleted,
    /// It has another path.
    Renamed,
}

impl Change {
    /// The word as it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Modified => "modified",
            Self::Deleted => "deleted",
            Self::Renamed => "renamed",
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
    pub required: Vec<&'a str>,
    /// What has been approved.
    #[serde(borrow)]
    pub granted: Vec<&'a str>,
}
