//! The JSON form of a trust policy, and its checks.

use std::collections::{BTreeMap, BTreeSet};

use adjudicate_core::{
    Error,
    document::{self, Describe, Reader, Shape, Type},
    json::{self, Node},
};
use jiff::Timestamp;

use crate::{
    Digest, codes,
    key::PublicKey,
    manifest::ModuleVersion,
    policy::{Choice, MAX_KEYS, MAX_PINS, MAX_POLICY_BYTES, TrustPolicy, TrustedKey},
    signature::KeyId,
    text::counted,
    time::parse_time,
};

impl Describe for TrustPolicy {
    fn describe() -> Type {
        Document::describe()
    }
}

impl TrustPolicy {
    /// Parses a policy.
    ///
    /// # Errors
    ///
    /// - The errors of all documents: `malformed_json`, `duplicate_key`, `unknown_field`, `missing_field`, `invalid_value`,
    ///   `limit_exceeded`.
    /// - `invalid_policy` for a policy that cannot work. Examples are a threshold that the keys cannot reach, repeated keys or
    ///   names, and a window that ends before it begins.
    ///
    /// Each error has the path of the wrong field.
    ///
    /// ```
    /// use adjudicate_trust::TrustPolicy;
    /// let error = TrustPolicy::parse(br#"{"threshold": 2}"#).unwrap_err();
    /// assert_eq!((error.code().as_str(), error.path()), ("invalid_policy", "/threshold"));
    /// ```
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        let tape = json::read(bytes, json::ReadLimits { documents: &[], bytes: MAX_POLICY_BYTES })?;
        let document: Document = document::read(tape.root())?;
        Ok(Self {
            // At most the number of keys.
            threshold: document.threshold.map_or(1, |threshold| threshold as usize),
            keys: document.keys.unwrap_or_default().into_iter().map(TrustedKey::from).collect(),
            pins: document.pins.map(|pins| pins.into_iter().collect()),
            minimum_versions: document.minimum_versions,
            downgrade: document.downgrade,
            unsigned: document.unsigned.unwrap_or_default(),
        })
    }
}

/// The document of a trust policy.
#[derive(document::Document)]
#[document(name = "TrustPolicy", expecting = "a trust policy object", root, check = "Self::check")]
struct Document {
    /// The keys that sign modules, at most 64. A key that is not in the list counts for nothing.
    #[document(schema = r#"{"minItems": 1, "maxItems": 64}"#)]
    keys: Option<Vec<KeyEntry>>,
    /// The number of keys that must have signed, each once; 1 by default. 0 needs `pins`: a pinned module then needs no signature.
    threshold: Option<u32>,
    /// The only modules that are accepted, by digest, at most 1024. Their signatures are checked, too.
    #[document(schema = r#"{"minItems": 1, "maxItems": 1024, "uniqueItems": true}"#)]
    pins: Option<Vec<Digest>>,
    /// The least version that is accepted, by the name in the manifest of a module.
    #[serde(default)]
    #[document(schema = r#"{"propertyNames": {"minLength": 1}}"#)]
    minimum_versions: BTreeMap<String, ModuleVersion>,
    /// The treatment of a version below the highest one that was active.
    #[serde(default)]
    downgrade: Choice,
    /// The treatment of modules without a signature, `refuse` by default. Allow them on a machine for development only.
    unsigned: Option<Choice>,
}

/// A key in the document.
#[derive(document::Document)]
#[document(name = "Key", expecting = "an object with `name` and `public_key`")]
struct KeyEntry {
    /// The id of the key, as a check.
    id: Option<KeyId>,
    /// The name of the key, for humans. No other key has it.
    #[document(schema = r#"{"minLength": 1}"#)]
    name: String,
    /// The public key: `ed25519:` and 64 hexadecimal digits.
    public_key: PublicKey,
    /// The first time at which the key is good, in the form of RFC 3339, for example `2026-01-01T00:00:00Z`.
    not_before: Option<Rfc3339Time>,
    /// The last time at which the key is good, in the form of RFC 3339.
    not_after: Option<Rfc3339Time>,
    /// True if signatures of the key do not count, whenever they were made.
    #[serde(default)]
    revoked: bool,
}

impl From<KeyEntry> for TrustedKey {
    fn from(entry: KeyEntry) -> Self {
        Self {
            id: entry.public_key.id(),
            name: entry.name,
            public: entry.public_key,
            not_before: entry.not_before.map(|Rfc3339Time(time)| time),
            not_after: entry.not_after.map(|Rfc3339Time(time)| time),
            is_revoked: entry.revoked,
        }
    }
}

impl Document {
    /// Rejects a policy that cannot work. Checks each list first, then combinations of fields.
    fn check(&self) -> Result<(), Error> {
        self.check_keys()?;
        if let Some(pins) = &self.pins {
            check_pins(pins)?;
        }
        if self.minimum_versions.contains_key("") {
            return Err(useless("no module has an empty name", "/minimum_versions/"));
        }
        self.check_threshold()
    }

    fn check_keys(&self) -> Result<(), Error> {
        let Some(keys) = &self.keys else { return Ok(()) };
        if keys.is_empty() {
            return Err(useless("the list is empty; remove it if no key is trusted", "/keys"));
        }
        if keys.len() > MAX_KEYS {
            let message = format!("{} keys are over the limit of {MAX_KEYS}", keys.len());
            return Err(Error::new(codes::LIMIT_EXCEEDED, message).at("/keys"));
        }
        for (at, key) in keys.iter().enumerate() {
            let before = keys.iter().take(at);
            key.check(before)
                .map_err(|(message, member)| useless(message, format!("/keys/{at}/{member}")))?;
        }
        Ok(())
    }

    /// Revoked keys count here. Otherwise revoking one of two keys in a hurry could make the policy invalid, and the revocation
    /// would fail.
    fn check_threshold(&self) -> Result<(), Error> {
        let keys = self.keys.as_ref().map_or(0, Vec::len);
        let is_unsigned_allowed = self.unsigned == Some(Choice::Allow);
        let fault = match self.threshold {
            Some(0) if self.pins.is_none() => {
                "a threshold of 0 without `pins` accepts every module; list the accepted modules in `pins`, or require a signature"
            }
            Some(0) if self.unsigned == Some(Choice::Refuse) => {
                let message = "with a threshold of 0, pinned modules need no signature; remove this field";
                return Err(useless(message, "/unsigned"));
            }
            Some(threshold) if threshold as usize > keys => {
                let message = format!(
                    "the policy requires {}, but has {}",
                    counted(threshold, "signature"),
                    counted(keys, "key")
                );
                return Err(useless(message, "/threshold"));
            }
            None if keys == 0 && self.pins.is_some() && !is_unsigned_allowed => {
                "no key is trusted, so no pinned module can be accepted; to accept them without a signature, set `threshold` to 0"
            }
            _ => return Ok(()),
        };
        Err(useless(fault, "/threshold"))
    }
}

impl KeyEntry {
    /// Returns the reason why a key cannot work, with the field at fault.
    fn check<'a>(
        &self,
        mut before: impl Iterator<Item = &'a Self> + Clone,
    ) -> Result<(), (&'static str, &'static str)> {
        let id = self.public_key.id();
        let faults = [
            (self.id.is_some_and(|named_key| named_key != id), "this is not the id of the key", "id"),
            (self.name.is_empty(), "expected a string that is not empty", "name"),
            (before.clone().any(|other| other.name == self.name), "a key before has this name", "name"),
            // Two keys of one id look like one key in reports.
            (
                before.any(|other| other.public_key.id() == id),
                "an earlier key has the same public key",
                "public_key",
            ),
            (self.ends_early(), "the window ends before it begins", "not_after"),
        ];
        match faults.into_iter().find(|(is_so, ..)| *is_so) {
            Some((_, message, member)) => Err((message, member)),
            None => Ok(()),
        }
    }

    fn ends_early(&self) -> bool {
        match (&self.not_before, &self.not_after) {
            (Some(Rfc3339Time(begin)), Some(Rfc3339Time(end))) => end < begin,
            _ => false,
        }
    }
}

fn check_pins(pins: &[Digest]) -> Result<(), Error> {
    if pins.is_empty() {
        return Err(useless("the list is empty, so nothing would be accepted", "/pins"));
    }
    if pins.len() > MAX_PINS {
        let message = format!("{} pins are over the limit of {MAX_PINS}", pins.len());
        return Err(Error::new(codes::LIMIT_EXCEEDED, message).at("/pins"));
    }
    let mut seen = BTreeSet::new();
    match pins.iter().position(|digest| !seen.insert(digest)) {
        Some(at) => Err(useless("the list has this digest twice", format!("/pins/{at}"))),
        None => Ok(()),
    }
}

fn useless(message: impl Into<std::borrow::Cow<'static, str>>, path: impl Into<String>) -> Error {
    Error::new(codes::INVALID_POLICY, message).at(path)
}

/// A time in the form of RFC 3339.
struct Rfc3339Time(Timestamp);

impl Describe for Rfc3339Time {
    fn describe() -> Type {
        Type::TEXT
    }
}

impl document::Document<'_> for Rfc3339Time {
    const SHAPE: Shape = Shape::Text;

    fn read(node: Node<'_>, reader: &mut Reader) -> Option<Self> {
        reader.parsed(node, |text| parse_time(text).map(Self))
    }
}
