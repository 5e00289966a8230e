//! The kinds of acts that resolve a finding.

use adjudicate_lang::document::Document;
use serde::Serialize;

/// The kind of act that resolves a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ResolutionKind {
    /// A change to the work.
    AfterFix,
    /// The approval of a human.
    NeedsApproval,
    /// The same step again.
    Retry,
    /// More or other evidence.
    ProvideEvidence,
    /// No act of the run resolves the finding.
    Terminal,
}
