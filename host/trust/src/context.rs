//! The action and the circumstances of a judgment.

use adjudicate_core::document::Describe;
use semver::Version;
use serde::Serialize;

/// The action for which a module is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Describe, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TrustAction {
    /// The installation in a store.
    Install,
    /// The activation.
    Activate,
    /// The repeated activation, manual or automatic. Judged like an activation, except that versions that were active since do
    /// not matter.
    Rollback,
    /// The load of an active module, possibly long after its activation. The windows of keys and the version are not judged,
    /// because an active module must not stop working as time passes. The other checks are repeated: the signed bytes, the
    /// number of trusted keys that are not revoked, and the pin.
    Load,
}

/// The circumstances of a judgment.
#[derive(Clone, Copy, Debug)]
pub struct TrustContext<'a> {
    /// The action.
    pub action: TrustAction,
    /// The current time, in milliseconds since 1970.
    pub now: i64,
    /// The highest version of a module of this name that was ever active, if there is one. Ignored for [`TrustAction::Rollback`] and
    /// [`TrustAction::Load`].
    pub highest: Option<&'a Version>,
}
