//! What a judgement says: who signed, and why the module was accepted.

use adjudicate_core::json;
use adjudicate_sandbox::{Digest, signature::KeyId};
use semver::Version;
use serde::{Serialize, Serializer};

use super::judge::Moment;

/// Why a module was accepted, in a form that is kept with what was done about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The module's identity.
    pub digest: Digest,
    /// What its signatures are about.
    pub content_digest: Digest,
    /// The name in its manifest.
    pub name: String,
    /// The version in its manifest.
    #[serde(serialize_with = "text")]
    pub version: Version,
    /// What it was judged for.
    pub moment: Moment,
    /// What it was accepted for.
    pub accepted: Grounds,
    /// How many trusted keys must have signed.
    pub threshold: usize,
    /// How many have.
    pub counted: usize,
    /// Each signature of the module, in its own order.
    pub signatures: Vec<SignatureVerdict>,
    /// Whether its digest is pinned; null where nothing is.
    pub pinned: Option<bool>,
    /// The least version that was accepted, if there is one and versions were judged.
    #[serde(serialize_with = "text_or_null")]
    pub minimum_version: Option<Version>,
    /// The highest version that was in force, if there is one and versions were judged.
    #[serde(serialize_with = "text_or_null")]
    pub highest_version: Option<Version>,
}

/// What a module was accepted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Grounds {
    /// Enough trusted keys signed it.
    Signatures,
    /// Its digest is pinned, and no signature is asked for.
    Pin,
    /// It has no signature, and none is asked for.
    Unsigned,
}

/// What was made of one signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SignatureVerdict {
    /// The id of the key, as the policy knows it or as the signature says; null if neither does.
    #[serde(serialize_with = "text_or_null")]
    pub key: Option<KeyId>,
    /// What the policy calls the key; null if it does not know it.
    pub name: Option<String>,
    /// What follows.
    pub standing: Standing,
}

/// Whether a signature counts, and if not, why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It counts.
    Counted,
    /// It is good, and of a key whose signature came before: a key counts once.
    Repeated,
    /// Its key is not valid yet.
    NotYetValid,
    /// Its key is not valid any more.
    Expired,
    /// Its key was revoked.
    Revoked,
    /// The policy does not know its key, so nobody verified it.
    Unknown,
}

impl Verdict {
    /// The verdict as JSON on one line, as a store keeps it with the module.
    ///
    /// `{"digest", "content_digest", "name", "version", "moment", "accepted", "threshold", "counted",
    /// "signatures": [{"key", "name", "standing"}], "pinned", "minimum_version", "highest_version"}`
    #[must_use]
    pub fn to_json(&self) -> String {
        json::write(self)
    }
}

fn text<S: Serializer>(value: &impl ToString, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&value.to_string())
}

fn text_or_null<S: Serializer>(value: &Option<impl ToString>, to: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => text(value, to),
        None => to.serialize_none(),
    }
}
