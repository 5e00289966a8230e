//! The results on the base revision, in the evidence.

use alloc::vec::Vec;

use adjudicate_lang::{document::Document, order::SortedMap};

use super::report::{Case, HarnessSummary, OwnedCase, OwnedHarnessSummary};
use crate::documents::tree::{OwnedTree, Tree};

/// The results of the same checks on the base revision: the state before the change.
#[derive(Clone, Debug, Document)]
#[document(owned(Default), expecting = "a baseline object")]
pub struct Baseline<'a> {
    /// The tree of the base revision.
    #[serde(default)]
    pub tree: Option<Tree<'a>>,
    /// The exit code of each validator, by its id.
    pub exit_codes: SortedMap<&'a str, i64>,
    /// The validators that reached their time limit.
    #[serde(default)]
    pub timeouts: Vec<&'a str>,
    /// The cases that are listed.
    #[serde(default)]
    pub cases: Vec<Case<'a>>,
    /// The counts.
    #[serde(default)]
    #[document(owned)]
    pub summary: Option<HarnessSummary>,
}
