//! The report on a replay.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::json::object::ObjectWriter;

use super::ReplayFinding;
use crate::documents::{
    plan_ir::HashMode,
    replay::{Delta, Tests},
};

/// The result of verifying a replay (docs/reference/planir.md).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayReport {
    pub(super) findings: Vec<ReplayFinding>,
    pub(super) plan_hash: String,
    pub(super) hash_mode: Option<HashMode>,
    pub(super) tests: Option<Tests>,
}

impl ReplayReport {
    /// Returns true if the replay follows its plan: there are no findings.
    #[must_use]
    pub fn is_linked(&self) -> bool {
        self.findings.is_empty()
    }

    /// The findings, sorted by path segment by segment, then by code. Beyond 1,000, the first finding has the number of those
    /// left out.
    #[must_use]
    pub fn findings(&self) -> &[ReplayFinding] {
        &self.findings
    }

    /// The plan's hash in the mode of the first correct claim, otherwise the canonical one.
    #[must_use]
    pub fn plan_hash(&self) -> &str {
        &self.plan_hash
    }

    /// The mode of the first correct claim; `None` if no claimed hash is correct.
    #[must_use]
    pub const fn hash_mode(&self) -> Option<HashMode> {
        self.hash_mode
    }

    /// The number of tests fixed, if known.
    #[must_use]
    pub fn verification_delta(&self) -> Option<i128> {
        self.tests.map(Tests::delta)
    }

    /// `{linked, findings, plan_hash, hash_mode, verification_delta}`
    ///
    /// Refuse a text over [`MAX_ANSWER_BYTES`](crate::json::MAX_ANSWER_BYTES), as operations do: it is truncated and no valid
    /// JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mode = self.hash_mode.map_or_else(|| "null".into(), |mode| format!("\"{mode}\""));
        let delta = self.difference().map_or_else(|| "null".into(), |delta| format!("{delta}"));
        let mut out = String::new();
        let mut members = ObjectWriter::open(&mut out);
        members.flag("linked", self.is_linked());
        members.list("findings", &self.findings, ReplayFinding::write);
        members.text("plan_hash", Some(&self.plan_hash));
        members.json("hash_mode", Some(&mode));
        members.json("verification_delta", Some(&delta));
        members.close();
        out
    }

    /// The delta in the form in which it is claimed.
    pub(super) fn difference(&self) -> Option<Delta> {
        self.tests.map(Tests::difference)
    }
}
