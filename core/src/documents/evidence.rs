//! The evidence package of an envelope as it is on the wire (docs/reference/envelope.md).

mod baseline;
mod diff;
mod report;

use alloc::vec::Vec;

use adjudicate_lang::{document::Document, json::Nullable, order::SortedMap, paths::Pattern};
use serde::Serialize;

use super::{
    outcome::Outcome,
    tree::{OwnedTree, Tree},
};
use crate::codes::Severity;

pub use baseline::{Baseline, OwnedBaseline};
pub use diff::{Change, Diff, DiffFile, FileKind, OwnedDiff, OwnedDiffFile};
pub use report::{
    Case, CaseStatus, HarnessReport, HarnessSummary, OwnedCase, OwnedHarnessReport, OwnedHarnessSummary,
    OwnedUxFlag, UxFlag,
};

/// The evidence of the step that is evaluated.
#[derive(Clone, Debug, Document)]
#[document(owned(Default), expecting = "an evidence object")]
pub struct Evidence<'a> {
    /// The statements of the agent or the validators: lines such as `intent: fix`, or JSON. Prose is no claim.
    pub transcript_summary: &'a str,
    /// The diff, as git prints it: `git status`, `git diff` and most of their formats. An empty text says that nothing changed.
    pub workspace_diff_summary: &'a str,
    /// The results of the validators.
    pub validation: Validation<'a>,
    /// The parsed report of a test harness.
    #[serde(default)]
    pub harness_report: Nullable<HarnessReport<'a>>,
    /// The artifacts that there are, for example `test.log`.
    pub artifacts: Vec<&'a str>,
    /// Signals of the kernel, `class` or `class:detail`, for example `warning:budget`.
    pub policy_events: Vec<&'a str>,
    /// The purpose of the step. It replaces the intent in the transcript.
    #[serde(default)]
    pub step_intent: Option<Intent>,
    /// The claims of the agent. They replace the claims in the transcript. An empty list says that nothing is claimed.
    #[serde(default)]
    pub claims: Option<Vec<Claim>>,
    /// Paths or globs that must be among the artifacts. A path is met by a file of that very path, a glob by a file that it
    /// matches. Files below a match count only where the entry ends in `/` or has a segment `**`.
    #[serde(default)]
    pub required_artifacts: Vec<Pattern<'a>>,
    /// Validators that must have a result. An empty list says that no check is required.
    #[serde(default)]
    pub required_validators: Option<Vec<&'a str>>,
    /// The diff as a list of files. It replaces the summary.
    #[serde(default)]
    pub diff: Option<Diff<'a>>,
    /// The result of a review.
    #[serde(default)]
    pub review: Option<Review<'a>>,
    /// Approvals required and granted.
    #[serde(default)]
    pub approvals: Option<Approvals<'a>>,
    /// Evidence that could not be collected. Each distinct `what` calls for a human.
    #[serde(default)]
    pub uncollected: Vec<Uncollected<'a>>,
    /// The tree that is judged. A result of another tree is stale, and no result.
    #[serde(default)]
    pub tree: Option<Tree<'a>>,
    /// The results of the same checks on the base revision.
    #[serde(default)]
    pub baseline: Option<Baseline<'a>>,
}

/// Evidence that could not be collected.
#[derive(Clone, Copy, Debug, Document)]
#[document(owned, expecting = "an object with `what` and `reason`")]
pub struct Uncollected<'a> {
    /// The evidence, for example `coverage`.
    pub what: &'a str,
    /// The reason, for example `the report is missing`.
    pub reason: &'a str,
}

/// The results of the validators. Other fields are carried and ignored, unless their name is close to one of these.
#[derive(Clone, Debug, Document)]
#[document(open, owned(Default), expecting = "a validation object")]
pub struct Validation<'a> {
    /// The end of the step's process: completed, failed, or killed.
    pub mechanical_outcome: Outcome,
    /// The exit code of each validator, by its id.
    pub exit_codes: SortedMap<&'a str, i64>,
    /// The validators that reached their time limit. They failed, with or without an exit code.
    pub timeouts: Vec<&'a str>,
    /// The tree of the result of each validator, by its id.
    #[serde(default)]
    pub trees: SortedMap<&'a str, Tree<'a>>,
}

/// The purpose of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// The step adds something.
    Implement,
    /// The step fixes something.
    Fix,
    /// The step reviews.
    Review,
    /// The step investigates.
    Investigate,
    /// The step documents.
    Document,
    /// Another purpose.
    Other,
}

/// A claim of an agent about its own work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    /// The agent added something.
    Implemented,
    /// The agent fixed something.
    Fixed,
    /// The tests passed.
    TestsPassed,
    /// The agent reports an error.
    ErrorReported,
    /// There was nothing to change.
    NoChangeNeeded,
}

/// The result of a review.
#[derive(Clone, Debug, Document)]
#[document(owned, expecting = "a review object")]
pub struct Review<'a> {
    /// The artifact that has the review, for example `review.md`.
    pub artifact_ref: &'a str,
    /// The issues that the review found.
    pub issues: Vec<ReviewIssue<'a>>,
    /// The tree that was reviewed.
    #[serde(default)]
    pub tree: Option<Tree<'a>>,
}

/// An issue that a review found.
#[derive(Clone, Debug, Document)]
#[document(owned, expecting = "a review issue object")]
pub struct ReviewIssue<'a> {
    /// The id of the issue.
    pub id: &'a str,
    /// The issue in one line.
    pub summary: &'a str,
    /// The severity.
    pub severity: Severity,
    /// The artifact or the JSON Pointer that shows the issue.
    #[serde(default)]
    pub evidence_ref: Nullable<&'a str>,
    /// The change that fixes the issue.
    #[serde(default)]
    pub edit: Option<Edit<'a>>,
}

/// A change that a review asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document, Serialize)]
#[document(owned, expecting = "an edit object")]
pub struct Edit<'a> {
    /// The place to change, for example `src/lib.rs`.
    pub target: &'a str,
    /// The change.
    pub action: &'a str,
    /// The reason for the change.
    pub rationale: &'a str,
}

/// Approvals required and granted.
#[derive(Clone, Debug, Document)]
#[document(owned(Default), expecting = "an approvals object")]
pub struct Approvals<'a> {
    /// The required approvals.
    pub required: Vec<&'a str>,
    /// The granted approvals.
    pub granted: Vec<&'a str>,
}
