//! Who decided, as records have it.

use serde::Serialize;

/// Who decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The active composition.
    Active,
    /// The canary.
    Canary,
    /// The last good version, restricted by the finding `module_fault`: for the canary the active composition, for that the
    /// one before.
    LastGood,
    /// The host: a module failed, and nobody else was to be asked.
    FailClosed,
}

impl By {
    /// As it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Canary => "canary",
            Self::LastGood => "last_good",
            Self::FailClosed => "fail_closed",
        }
    }
}
