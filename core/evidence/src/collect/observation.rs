//! The observations of a host: results of validators, reports, and the output of git.

use alloc::vec::Vec;

use adjudicate_core::{
    document::{Document, FormatVersion},
    evaluate::{Baseline, Entry, Outcome, OwnedBaseline, OwnedEntry, OwnedTree, Tree},
};
use serde::Serialize;

use super::external::{ExternalEvidence, OwnedExternalEvidence};

/// The observations of a host while it collected the evidence of one evaluation.
#[derive(Clone, Debug, Document)]
#[document(owned(Default), root, expecting = "an observation object")]
pub struct Observation<'a> {
    /// The run, for example `run-42`.
    pub run_id: &'a str,
    /// The absolute path of the root. Paths of reports below it become relative.
    pub root: Option<&'a str>,
    /// The changes of the workspace.
    pub workspace: Workspace<'a>,
    /// The validators that ran, or could not run.
    #[serde(default)]
    pub validators: Vec<ValidatorRun<'a>>,
    /// The content of the file of claims.
    pub claims: Option<&'a str>,
    /// The review.
    pub review: Option<ReportFile<'a>>,
    /// The paths of the artifacts that exist. Logs and reports need not be among them.
    #[serde(default)]
    pub artifacts: Vec<&'a str>,
    /// The cause if the run of the validators did not come to its end.
    pub interrupted: Option<Interruption>,
    /// Other evidence that could not be collected.
    #[serde(default)]
    pub uncollected: Vec<MissingEvidence<'a>>,
    /// The step of the agent before this collection, if the host knows its end.
    pub agent: Option<Entry<'a>>,
    /// The results of the validators on the base revision.
    pub baseline: Option<StoredBaseline<'a>>,
    /// The evidence that no command of the repository shows.
    pub external: Option<ExternalEvidence<'a>>,
}

/// The output of git, as it is.
#[derive(Clone, Debug, Document)]
#[document(owned(Default), expecting = "a workspace object")]
pub struct Workspace<'a> {
    /// The commit that is checked out.
    pub head: Option<&'a str>,
    /// The commit to compare with.
    pub base: Option<&'a str>,
    /// The output of `git diff --raw -z -M BASE`.
    pub raw: Option<&'a str>,
    /// The output of `git diff --numstat -z -M BASE`. Without it, the diff has no numbers of lines.
    pub numstat: Option<&'a str>,
    /// The output of `git status --porcelain=v2 -z -uall`.
    pub status: Option<&'a str>,
    /// The reason if git failed.
    pub uncollected: Option<&'a str>,
    /// The tree after all validators, for example `git:` and the id that `git write-tree` prints. It is the one that is judged.
    pub tree: Option<Tree<'a>>,
    /// The reason if the tree is not known.
    pub no_tree: Option<&'a str>,
}

/// One run of a validator.
#[derive(Clone, Debug, Document)]
#[document(owned(Default), expecting = "a validator run object")]
pub struct ValidatorRun<'a> {
    /// The id of the validator.
    pub id: &'a str,
    /// The exit code: 128 and the number of the signal, if a signal ended the command.
    pub exit_code: Option<i64>,
    /// True if the command reached its time limit.
    #[serde(default)]
    pub timed_out: bool,
    /// The reason if the command did not start, or did not end.
    pub not_run: Option<&'a str>,
    /// The path of the log.
    pub log: Option<&'a str>,
    /// The duration in milliseconds.
    pub duration_ms: Option<u64>,
    /// The standard output, if it is a report.
    pub output: Option<&'a str>,
    /// The report files that this run wrote.
    #[serde(default)]
    pub reports: Vec<ReportFile<'a>>,
    /// The reasons why a report could not be read.
    #[serde(default)]
    pub problems: Vec<&'a str>,
    /// The tree on which the validator ran. If files changed meanwhile, it is no tree that is judged.
    pub tree: Option<Tree<'a>>,
    /// The files that changed while the validator ran.
    #[serde(default)]
    pub changed: Vec<&'a str>,
}

/// A report file.
#[derive(Clone, Copy, Debug, Document)]
#[document(owned, expecting = "an object with `path` and `text`")]
pub struct ReportFile<'a> {
    /// The path below the root.
    pub path: &'a str,
    /// The content.
    pub text: &'a str,
}

/// Evidence that a host could not collect.
#[derive(Clone, Copy, Debug, Document)]
#[document(owned, expecting = "an object with `what` and `reason`")]
pub struct MissingEvidence<'a> {
    /// The evidence, for example `artifacts`.
    pub what: &'a str,
    /// The reason.
    pub reason: &'a str,
}

/// The results of the validators on the base revision, as a host stores them for later collections.
#[derive(Clone, Debug, Document)]
#[document(owned, root, expecting = "a stored baseline")]
pub struct StoredBaseline<'a> {
    /// The version of this format: 1.
    pub version: FormatVersion<1>,
    /// The id of the commit.
    pub base: &'a str,
    /// The digest of the configuration: of the validators and of the setup.
    pub configuration: &'a str,
    /// The results.
    pub baseline: Baseline<'a>,
    /// The number of cases that a baseline cannot list.
    #[serde(default)]
    pub left_out: u64,
    /// The results that could not be collected.
    #[serde(default)]
    pub problems: Vec<MissingEvidence<'a>>,
}

/// The cause of a run that did not come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Interruption {
    /// The run was killed, for example by a signal.
    KilledTimeout,
    /// The run was killed for doing nothing.
    KilledIdle,
    /// The host failed.
    Error,
}

impl From<Interruption> for Outcome {
    fn from(interruption: Interruption) -> Self {
        match interruption {
            Interruption::KilledTimeout => Self::KilledTimeout,
            Interruption::KilledIdle => Self::KilledIdle,
            Interruption::Error => Self::Error,
        }
    }
}
