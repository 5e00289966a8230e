//! The trust policy: what a person writes to say whose modules are accepted.

use std::collections::{BTreeMap, BTreeSet};

use adjudicate_core::{Error, json};
use adjudicate_sandbox::{Digest, signature::KeyId};
use jiff::Timestamp;
use semver::Version;
use serde::Deserialize;

use super::{
    document::{Document, Least},
    key::PublicKey,
};

/// How many bytes a trust policy may have: 256 KiB.
pub const MAX_POLICY_BYTES: usize = 256 << 10;
/// How many keys it may name.
pub const MAX_KEYS: usize = 64;
/// How many digests it may pin.
pub const MAX_PINS: usize = 1024;

/// Whose modules are accepted (SPEC section 13.5): a JSON document, read strictly.
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
/// Every member may be left out. Without any the policy is the default one: modules must be signed, and nobody's
/// signature is trusted, so nothing from outside is accepted.
///
/// - `keys`: `name` and `public_key` (`ed25519:` and 64 hexadecimal digits) are required. `id` may repeat the key's id,
///   as a check. A key is good from `not_before` to `not_after`, both included and in the form of RFC 3339. A signature
///   of a key with `"revoked": true` does not count, whenever it was made.
/// - `threshold`: how many of the keys must have signed; 1 if it is left out. 0 is for policies with `pins`: whose
///   digest is pinned then needs no signature.
/// - `pins`: the only identities that are accepted, on top of what is asked of signatures.
/// - `minimum_versions`: by the name in a module's manifest, the least version that is accepted.
/// - `downgrade`: `allow` accepts a version below the highest one that was in force.
/// - `unsigned`: `allow` accepts modules that have no signature section, for development on one's own machine. Whoever
///   can change a module can also take its signatures off, so this is as good as no trust at all.
///
/// Members that begin with `x-` are yours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustPolicy {
    pub(super) keys: Vec<TrustedKey>,
    pub(super) threshold: usize,
    pub(super) pins: Option<BTreeSet<Digest>>,
    pub(super) minimum_versions: BTreeMap<String, Version>,
    pub(super) downgrade: Choice,
    pub(super) unsigned: Choice,
}

/// A key of a trust policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TrustedKey {
    pub(super) id: KeyId,
    pub(super) name: String,
    pub(super) public: PublicKey,
    pub(super) not_before: Option<Timestamp>,
    pub(super) not_after: Option<Timestamp>,
    pub(super) is_revoked: bool,
}

/// What a policy says of something that is dangerous.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Choice {
    #[default]
    Refuse,
    Allow,
}

impl Default for TrustPolicy {
    /// The policy where there is none: nothing from outside is accepted.
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
    /// Reads a policy.
    ///
    /// # Errors
    ///
    /// As for all documents (`malformed_json`, `duplicate_key`, `unknown_field`, `missing_field`, `invalid_value`,
    /// `limit_exceeded`); `invalid_policy` for what is well formed and cannot work, among it a threshold that
    /// the keys cannot reach, keys or names that are there twice, and windows that end before they begin. Each with the
    /// path of the member at fault.
    ///
    /// ```
    /// use adjudicate_host::trust::TrustPolicy;
    /// let error = TrustPolicy::parse(br#"{"threshold": 2}"#).unwrap_err();
    /// assert_eq!((error.code().as_str(), error.path()), ("invalid_policy", "/threshold"));
    /// ```
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let tape = json::read(bytes, json::Limits { documents: &[], bytes: MAX_POLICY_BYTES })?;
        let document: Document = tape.decode()?;
        document.check()?;
        Ok(Self {
            // No more than there are keys.
            threshold: document.threshold.map_or(1, |threshold| threshold as usize),
            keys: document.keys.unwrap_or_default().into_iter().map(TrustedKey::from).collect(),
            pins: document.pins.map(|pins| pins.into_iter().collect()),
            minimum_versions: document
                .minimum_versions
                .into_iter()
                .map(|(name, Least(version))| (name, version))
                .collect(),
            downgrade: document.downgrade,
            unsigned: document.unsigned.unwrap_or_default(),
        })
    }

    /// The policy that asks for a signature of this key, and nothing else.
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

    /// This policy, but modules that have no signature are accepted (pins and versions permitting): for a person who
    /// says so about one module of their own. A module that does have signatures is judged as ever.
    #[must_use]
    pub fn without_signatures(&self) -> Self {
        Self { unsigned: Choice::Allow, ..self.clone() }
    }
}
