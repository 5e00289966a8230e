//! The trust policy: the keys, pins and versions that a host accepts.

use std::collections::{BTreeMap, BTreeSet};

use adjudicate_core::document;
use jiff::Timestamp;

use crate::{Digest, key::PublicKey, manifest::ModuleVersion, signature::KeyId};

/// Largest size of a trust policy: 256 KiB.
pub const MAX_POLICY_BYTES: usize = 256 << 10;
/// Largest number of keys.
pub const MAX_KEYS: usize = 64;
/// Largest number of pins.
pub const MAX_PINS: usize = 1024;

/// The rules for accepting modules (docs/reference/trust.md), written as a strict JSON document.
///
/// ```json
/// {
///   "keys": [
///     {"name": "release", "public_key": "ed25519:8a88...",
///      "not_before": "2026-01-01T00:00:00Z", "not_after": "2026-12-31T23:59:59Z"},
///     {"name": "security", "public_key": "ed25519:8139...", "revoked": true}
///   ],
///   "threshold": 1,
///   "pins": ["sha256:83d4..."],
///   "minimum_versions": {"release-gate": "1.4.0"},
///   "downgrade": "refuse",
///   "unsigned": "refuse"
/// }
/// ```
///
/// Every field is optional. The policy without fields is the default: modules must be signed, and no key is trusted, so no module
/// is accepted.
///
/// - `keys`: each has a `name` and a `public_key` (`ed25519:` and 64 hexadecimal digits). `id` may repeat the key's id, as a check.
///   A key is valid from `not_before` to `not_after`, both inclusive and in the form of RFC 3339. Signatures of a key with
///   `"revoked": true` do not count, whenever they were made.
/// - `threshold`: the number of keys that must have signed, 1 by default. 0 needs `pins`: a pinned module then needs no signature.
/// - `pins`: the digests of the only modules that are accepted, in addition to the rules for signatures.
/// - `minimum_versions`: the lowest accepted version, by the name in a module's manifest.
/// - `downgrade`: `allow` accepts a version below the highest one that was active.
/// - `unsigned`: `allow` accepts modules without a signature section, for development on your own machine. An attacker who can
///   change a module can also remove its signatures, so this setting means no trust at all.
///
/// You may add fields that begin with `x-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustPolicy {
    pub(crate) keys: Vec<TrustedKey>,
    pub(crate) threshold: usize,
    pub(crate) pins: Option<BTreeSet<Digest>>,
    pub(crate) minimum_versions: BTreeMap<String, ModuleVersion>,
    pub(crate) downgrade: Choice,
    pub(crate) unsigned: Choice,
}

/// A key of a trust policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TrustedKey {
    pub(crate) id: KeyId,
    pub(crate) name: String,
    pub(crate) public: PublicKey,
    pub(crate) not_before: Option<Timestamp>,
    pub(crate) not_after: Option<Timestamp>,
    pub(crate) is_revoked: bool,
}

/// The treatment of a module without a signature, or of a version below the highest one that was active.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, document::Document)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Choice {
    /// The host refuses the module.
    #[default]
    Refuse,
    /// The host accepts the module.
    Allow,
}

impl Default for TrustPolicy {
    /// The policy of a host without one: no module is accepted.
    fn default() -> Self {
        Self {
            keys: Vec::new(),
            threshold: 1,
            pins: None,
            minimum_versions: BTreeMap::new(),
            downgrade: Choice::Refuse,
            unsigned: Choice::Refuse,
        }
    }
}

impl TrustPolicy {
    /// Creates a policy that requires a signature of this key.
    #[must_use]
    pub fn of_key(name: &str, public: PublicKey) -> Self {
        let key = TrustedKey {
            id: public.id(),
            name: name.to_owned(),
            public,
            not_before: None,
            not_after: None,
            is_revoked: false,
        };
        Self { keys: vec![key], ..Self::default() }
    }

    /// Returns this policy, but accepting modules without signatures, if pins and versions permit. Use it when a human allows one
    /// module of their own. Signed modules are judged as before.
    #[must_use]
    pub fn without_signatures(&self) -> Self {
        Self { unsigned: Choice::Allow, ..self.clone() }
    }
}
