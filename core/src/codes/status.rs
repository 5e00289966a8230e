//! The five statuses with their one precedence (docs/reference/rules.md), and the three severities.

use adjudicate_lang::document::Document;
use serde::Serialize;

/// The status of a decision. The order is the precedence: the greatest status that a finding calls for wins.
///
/// ```
/// use adjudicate_core::evaluate::Status;
/// assert_eq!([Status::Partial, Status::Unsafe, Status::Blocked].into_iter().max(), Some(Status::Unsafe));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// No rule found a problem.
    Success,
    /// Something failed, and the evidence shows how to fix it.
    Partial,
    /// There is no safe way forward.
    Blocked,
    /// A human must decide.
    NeedsHuman,
    /// The state cannot be trusted.
    Unsafe,
}

impl Status {
    /// The severity of a finding that calls for this status.
    #[must_use]
    pub const fn severity(self) -> Severity {
        match self {
            Self::Success | Self::Partial => Severity::Low,
            Self::Blocked | Self::NeedsHuman => Severity::Medium,
            Self::Unsafe => Severity::High,
        }
    }
}

/// A severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing; it stops nothing.
    Low,
    /// It blocks the next step.
    Medium,
    /// It must not pass.
    High,
}
