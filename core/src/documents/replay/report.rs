//! The report on a replay, as foreign engines must give it too.

use alloc::vec::Vec;

use adjudicate_lang::{document::Document, json::Nullable};

use super::{Delta, ReplayCode};
use crate::documents::plan_ir::HashMode;

/// The answer of `verify_replay`.
#[derive(Debug, Document)]
#[document(name = "ReplayReport", expecting = "an object")]
pub struct ReplayAnswer<'a> {
    /// True if the run is one of the plan: there are no findings.
    pub linked: bool,
    /// The differences between the run and the plan.
    pub findings: Vec<StatedFinding<'a>>,
    /// The hash of the plan, in the mode of the claims, else in the canonical one.
    pub plan_hash: &'a str,
    /// The mode of the first claimed hash that is right; null if none is claimed or none is right.
    pub hash_mode: Nullable<HashMode>,
    /// The decrease of the number of failing tests, an integer; null without numbers of tests.
    pub verification_delta: Nullable<Delta>,
}

/// A difference between a run and its plan.
#[derive(Debug, Document)]
#[document(name = "ReplayFinding", expecting = "an object")]
pub struct StatedFinding<'a> {
    /// The code, from a closed list.
    pub code: ReplayCode,
    /// JSON Pointer into the call.
    pub path: &'a str,
    /// The number of the event, from 1.
    pub line: Option<u64>,
    /// The difference in one line.
    pub message: &'a str,
}
