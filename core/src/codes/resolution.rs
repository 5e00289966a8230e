//! What sorts of acts make a finding go away.

use serde::{Deserialize, Serialize};

/// Which sort of act resolves a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum ResolutionKind {
    /// A change to the work.
    AfterFix,
    /// A person's consent.
    NeedsApproval,
    /// The same step once more.
    Retry,
    /// More or other evidence.
    ProvideEvidence,
    /// Nothing that the run itself can do.
    Terminal,
}
