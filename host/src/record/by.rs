//! The part of a slot that decided, in records.

use serde::Serialize;

/// The part of a slot that decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The active composition.
    Active,
    /// The canary.
    Canary,
    /// The last good version, restricted by the finding `module_fault`. For the canary this is the active composition, for the active
    /// composition the one before.
    LastGood,
    /// The host, because a module failed and no other version could answer.
    FailClosed,
}

impl By {
    /// Returns the word in JSON.
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
