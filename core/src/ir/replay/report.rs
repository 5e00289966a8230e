//! The report on a replay.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::json::object::Members;

use super::{Finding, Tests};
use crate::ir::HashMode;

/// Whether a replay is that of its plan (SPEC section 9).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub(super) findings: Vec<Finding>,
    pub(super) plan_hash: String,
    pub(super) hash_mode: Option<HashMode>,
    pub(super) tests: Option<Tests>,
}

impl Report {
    /// Whether the replay is that of its plan: there are no findings.
    #[must_use]
    pub fn is_linked(&self) -> bool {
        self.findings.is_empty()
    }

    /// What was found, in the order of the paths, segment by segment, and of one path in the order of the codes. Of more than
    /// 1,000 the first are listed, and how many there are besides is the first finding.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The plan's hash in the mode of the first claim that is right, else the canonical one.
    #[must_use]
    pub fn plan_hash(&self) -> &str {
        &self.plan_hash
    }

    /// The mode of the first claim that is right; `None` if no hash is claimed or none is right.
    #[must_use]
    pub const fn hash_mode(&self) -> Option<HashMode> {
        self.hash_mode
    }

    /// How many tests fewer fail than before, if it is known.
    #[must_use]
    pub fn verification_delta(&self) -> Option<i128> {
        self.tests.map(Tests::delta)
    }

    /// `{linked, findings, plan_hash, hash_mode, verification_delta}`
    ///
    /// A text over [`MAX_ANSWER_BYTES`](crate::json::MAX_ANSWER_BYTES) is cut off and is no JSON: refuse it, as operations do.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mode = self.hash_mode.map_or_else(|| "null".into(), |mode| format!("\"{}\"", mode.as_str()));
        let mut out = String::new();
        let mut members = Members::open(&mut out);
        members.flag("linked", self.is_linked());
        members.list("findings", &self.findings, Finding::write);
        members.text("plan_hash", Some(&self.plan_hash));
        members.json("hash_mode", Some(&mode));
        members.json("verification_delta", Some(&self.delta_json()));
        members.close();
        out
    }

    /// The delta as it is written.
    pub(super) fn delta_json(&self) -> String {
        self.tests.map_or_else(|| "null".into(), |tests| format!("{}", tests.difference()))
    }
}
