//! The five statuses with their one precedence (OA06 section 4), and the three severities.

use serde::{Deserialize, Serialize};

/// What a decision comes to. The order is the precedence: the greatest status called for wins.
///
/// ```
/// use adjudicate_core::evaluate::Status;
/// assert_eq!([Status::Partial, Status::Unsafe, Status::Blocked].into_iter().max(), Some(Status::Unsafe));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// All that is asked for is there.
    Success,
    /// Something failed, and how to mend it is known.
    Partial,
    /// There is no safe way forward.
    Blocked,
    /// A person must decide.
    NeedsHuman,
    /// The state cannot be trusted.
    Unsafe,
}

impl Status {
    /// The status as it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Partial => "partial",
            Self::Blocked => "blocked",
            Self::NeedsHuman => "needs_human",
            Self::Unsafe => "unsafe",
        }
    }

    /// How grave a finding is that calls for this status.
    #[must_use]
    pub const fn severity(self) -> Severity {
        match self {
            Self::Success | Self::Partial => Severity::Low,
            Self::Blocked | Self::NeedsHuman => Severity::Medium,
            Self::Unsafe => Severity::High,
        }
    }
}

/// How grave something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing.
    Low,
    /// Stands in the way.
    Medium,
    /// Must not pass.
    High,
}
