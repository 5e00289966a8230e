//! The report of a test harness in the evidence.

use alloc::vec::Vec;

use adjudicate_lang::{
    document::{Document, Magnitude, Notes},
    json::Nullable,
};

use serde::Serialize;

use crate::{
    codes::Severity,
    documents::tree::{OwnedTree, Tree},
};

/// The report of a test harness. Every field is optional.
#[derive(Clone, Debug, Document)]
#[document(owned(Default), expecting = "a harness report object")]
pub struct HarnessReport<'a> {
    /// The id of the suite.
    #[serde(default)]
    pub suite_id: Option<&'a str>,
    /// The version of the suite.
    #[serde(default)]
    pub version: Option<&'a str>,
    /// The time of the report. The engine does not read it.
    #[serde(default)]
    pub generated_at: Option<&'a str>,
    /// The cases that are listed.
    #[serde(default)]
    pub cases: Vec<Case<'a>>,
    /// The counts. Without them only the listed cases count.
    #[serde(default)]
    #[document(owned)]
    pub summary: Option<HarnessSummary>,
    /// Remarks on the user's experience: facts for policies, with no status of their own.
    #[serde(default)]
    pub ux_flags: Vec<UxFlag<'a>>,
    /// Goldens that the harness proposes to replace. Any of them calls for a human.
    #[serde(default)]
    pub proposed_goldens: Vec<&'a str>,
    /// The tree on which the harness ran.
    #[serde(default)]
    pub tree: Option<Tree<'a>>,
}

impl HarnessReport<'_> {
    /// The number of listed cases with a status.
    pub(crate) fn count(&self, status: CaseStatus) -> u64 {
        self.cases.iter().filter(|case| case.status == status).count() as u64
    }
}

/// One case of a harness report.
#[derive(Clone, Debug, Document)]
#[document(owned, expecting = "a harness case object")]
pub struct Case<'a> {
    /// The id of the case.
    pub id: &'a str,
    /// The kind of the case.
    #[serde(default)]
    pub kind: Option<&'a str>,
    /// The result.
    pub status: CaseStatus,
    /// The validator that ran it.
    #[serde(default)]
    pub validator: Option<&'a str>,
    /// A command that reproduces the result. A blank one counts as absent.
    #[serde(default)]
    pub repro: Option<&'a str>,
    /// Observations. The engine does not read them.
    #[serde(default)]
    pub observations: Option<Notes<'a>>,
    /// Artifacts of the case.
    #[serde(default)]
    pub artifacts: Vec<&'a str>,
    /// The file that has the case, for example `tests/test_login.py`.
    #[serde(default)]
    pub file: Option<&'a str>,
}

/// The result of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseStatus {
    /// The case passed.
    Passed,
    /// The case failed.
    Failed,
    /// The case did not run.
    Skipped,
    /// The case passed in some runs and failed in others. It counts as neither.
    Flaky,
}

/// The counts of a harness report.
#[derive(Clone, Copy, Debug, Document)]
#[document(owned, expecting = "a summary object")]
pub struct HarnessSummary {
    /// The number of cases that passed.
    pub passed: u64,
    /// The number of cases that failed.
    pub failed: u64,
    /// The number of flaky cases.
    #[serde(default)]
    pub flaky: Option<u64>,
    /// The duration of the suite in milliseconds, also with a fraction. The engine does not read it.
    #[serde(default)]
    pub duration_ms: Option<Magnitude>,
}

/// A remark on the user's experience.
#[derive(Clone, Debug, Document)]
#[document(owned, expecting = "a ux flag object")]
pub struct UxFlag<'a> {
    /// The severity.
    pub severity: Severity,
    /// The area of the product.
    pub area: &'a str,
    /// The remark.
    pub description: &'a str,
    /// The artifact or the JSON Pointer that shows it.
    #[serde(default)]
    pub evidence_ref: Nullable<&'a str>,
}
