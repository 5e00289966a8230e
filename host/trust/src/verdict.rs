//! The verdict of a judgment: the signers, and the reason for accepting the module.

use adjudicate_core::{document::Describe, json};
use semver::Version;
use serde::Serialize;

use crate::{Digest, manifest::ModuleVersion, signature::KeyId};

/// The reason for accepting a module. Stored with the module.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
#[document(name = "Verdict")]
pub struct TrustVerdict {
    /// The module's digest.
    pub digest: Digest,
    /// The digest that its signatures cover.
    pub content_digest: Digest,
    /// The name in the manifest.
    pub name: String,
    /// The version in the manifest.
    #[document(described = "ModuleVersion")]
    pub version: Version,
    /// The action for which the module was judged.
    #[serde(rename = "moment")]
    pub action: TrustAction,
    /// The reason for accepting it.
    pub accepted: Grounds,
    /// The required number of trusted keys.
    pub threshold: usize,
    /// The number of trusted keys that signed.
    pub counted: usize,
    /// The signatures of the module, in its order.
    pub signatures: Vec<SignatureVerdict>,
    /// True if the digest is pinned; null if the policy has no pins.
    pub pinned: Option<bool>,
    /// The lowest accepted version, if there is one and versions were judged.
    #[document(described = "ModuleVersion")]
    pub minimum_version: Option<Version>,
    /// The highest version that was active, if there is one and versions were judged.
    #[document(described = "ModuleVersion")]
    pub highest_version: Option<Version>,
}

/// The reason for accepting a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Describe, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Grounds {
    /// Enough trusted keys signed it.
    Signatures,
    /// Its digest is pinned, and the policy requires no signature.
    Pin,
    /// It has no signature, and the policy requires none.
    Unsigned,
}

/// The verdict for one signature.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
pub struct SignatureVerdict {
    /// The id of the key, from the policy or the signature; null if neither has it.
    pub key: Option<KeyId>,
    /// The name of the key in the policy; null if the policy does not have the key.
    pub name: Option<String>,
    /// The standing.
    pub standing: Standing,
}

/// The standing of a signature: it counts, or the reason why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Describe, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// The signature counts.
    Counted,
    /// Another signature of the same key already counts.
    Repeated,
    /// The key is not valid yet.
    NotYetValid,
    /// The key is no longer valid.
    Expired,
    /// The key was revoked.
    Revoked,
    /// The policy does not have the key, so the signature was not verified.
    Unknown,
}

impl TrustVerdict {
    /// Returns the verdict as one line of JSON, the form in which the store keeps it.
    ///
    /// `{"digest", "content_digest", "name", "version", "moment", "accepted", "threshold", "counted",
    /// "signatures": [{"key", "name", "standing"}], "pinned", "minimum_version", "highest_version"}`
    #[must_use]
    pub fn to_json(&self) -> String {
        json::write(self)
    }
}

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
