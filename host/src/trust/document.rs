//! The wire form of a trust policy, and what in it cannot work.

use std::collections::{BTreeMap, BTreeSet};

use adjudicate_core::Error;
use adjudicate_sandbox::{Digest, counted, signature::KeyId};
use jiff::Timestamp;
use semver::Version;
use serde::{Deserialize, de::IgnoredAny};

use super::{
    key::PublicKey,
    policy::{Choice, MAX_KEYS, MAX_PINS, TrustedKey},
    time::parse_time,
};
use crate::codes;

/// The document, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    pub(super) keys: Option<Vec<KeyEntry>>,
    pub(super) threshold: Option<u32>,
    pub(super) pins: Option<Vec<Digest>>,
    #[serde(default)]
    pub(super) minimum_versions: BTreeMap<String, Least>,
    #[serde(default)]
    pub(super) downgrade: Choice,
    pub(super) unsigned: Option<Choice>,
    #[serde(rename = "$schema", default)]
    _schema: IgnoredAny,
}

/// A key, as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KeyEntry {
    id: Option<Text<KeyId>>,
    name: String,
    public_key: Text<PublicKey>,
    not_before: Option<Moment>,
    not_after: Option<Moment>,
    #[serde(default)]
    revoked: bool,
}

impl From<KeyEntry> for TrustedKey {
    fn from(entry: KeyEntry) -> Self {
        Self {
            id: entry.public_key.0.id(),
            name: entry.name,
            public: entry.public_key.0,
            not_before: entry.not_before.map(|Moment(time)| time),
            not_after: entry.not_after.map(|Moment(time)| time),
            is_revoked: entry.revoked,
        }
    }
}

impl Document {
    /// Refuses what cannot work: first in each list, then between members.
    pub(super) fn check(&self) -> Result<(), Error> {
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
            return Err(useless("the list is empty; leave it out if no key is trusted", "/keys"));
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

    /// Revoked keys are counted here: who revokes one of two keys in a hurry must not be told that the policy, and with
    /// it the revocation, is refused.
    fn check_threshold(&self) -> Result<(), Error> {
        let keys = self.keys.as_ref().map_or(0, Vec::len);
        let is_unsigned_allowed = self.unsigned == Some(Choice::Allow);
        let fault = match self.threshold {
            Some(0) if self.pins.is_none() => {
                "0 accepts every module; say which by `pins`, or ask for a signature"
            }
            Some(0) if self.unsigned == Some(Choice::Refuse) => {
                let message = "with a threshold of 0 a pinned module needs no signature; leave this out";
                return Err(useless(message, "/unsigned"));
            }
            Some(threshold) if threshold as usize > keys => {
                let message =
                    format!("{} asked for, of {}", counted(threshold, "signature"), counted(keys, "key"));
                return Err(useless(message, "/threshold"));
            }
            None if keys == 0 && self.pins.is_some() && !is_unsigned_allowed => {
                "no key is trusted, so no pinned module can be accepted; a threshold of 0 asks for no signature"
            }
            _ => return Ok(()),
        };
        Err(useless(fault, "/threshold"))
    }
}

impl KeyEntry {
    /// Why a key cannot be there, and which member says so.
    fn check<'a>(
        &self,
        mut before: impl Iterator<Item = &'a Self> + Clone,
    ) -> Result<(), (&'static str, &'static str)> {
        let id = self.public_key.0.id();
        let faults = [
            (self.id.as_ref().is_some_and(|Text(said)| *said != id), "this is not the id of the key", "id"),
            (self.name.is_empty(), "expected a string that is not empty", "name"),
            (before.clone().any(|other| other.name == self.name), "a key before has this name", "name"),
            // Two keys of one id would be one key to whoever reads of it.
            (before.any(|other| other.public_key.0.id() == id), "this key is there twice", "public_key"),
            (self.ends_early(), "the window ends before it begins", "not_after"),
        ];
        match faults.into_iter().find(|(is_so, ..)| *is_so) {
            Some((_, message, member)) => Err((message, member)),
            None => Ok(()),
        }
    }

    fn ends_early(&self) -> bool {
        match (&self.not_before, &self.not_after) {
            (Some(Moment(begin)), Some(Moment(end))) => end < begin,
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
        Some(at) => Err(useless("this digest is there twice", format!("/pins/{at}"))),
        None => Ok(()),
    }
}

fn useless(message: impl Into<std::borrow::Cow<'static, str>>, path: impl Into<String>) -> Error {
    Error::new(codes::INVALID_POLICY, message).at(path)
}

/// Text that stands for something else.
struct Text<T>(T);
struct Moment(Timestamp);
/// A least version.
pub(super) struct Least(pub(super) Version);

/// Reads text where it stands, so that errors point there.
macro_rules! read_as_text {
    ($(($($generic:tt)*) $name:ty: $read:expr;)+) => {$(
        impl<'de, $($generic)*> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = String::deserialize(from)?;
                let read: fn(&str) -> Result<Self, Error> = $read;
                read(&text).map_err(|error| serde::de::Error::custom(error.message()))
            }
        }
    )+};
}

read_as_text! {
    (T: std::str::FromStr<Err = Error>) Text<T>: |text| text.parse().map(Self);
    () Moment: |text| parse_time(text).map(Self);
    () Least: |text| Version::parse(text).map(Self).map_err(|_| {
        Error::new(codes::INVALID_VALUE, format!("expected a version such as `1.2.0`, found `{text}`"))
    });
}
