//! The chain of records: reads records and verifies that none was changed, removed or moved.

use std::{fmt, str::FromStr};

use adjudicate_core::{
    Error, Operation,
    document::{self, Document},
    json::{self, ReadLimits},
};
use adjudicate_sandbox::Digest;
use serde::Serialize;

use super::{DecidedBy, FORMAT};
use crate::codes;

/// A position in a chain: the number of a record and its hash. To find out later whether the chain was rewritten, keep it outside
/// of the store.
///
/// ```
/// use adjudicate_host::Link;
/// let link: Link = format!("42:sha256:{}", "0".repeat(64)).parse()?;
/// assert_eq!(link.sequence, 42);
/// // As `adjudicate records head` prints it, too.
/// let text = format!(r#"{{"slot": "release", "sequence": 42, "hash": "{}"}}"#, link.hash);
/// assert_eq!(text.parse(), Ok(link));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Link {
    /// The number of the record, from 1. The start of a chain is 0.
    pub sequence: i64,
    /// The hash of the record. The start of a chain has zeros.
    pub hash: Digest,
}

impl Link {
    /// The position before the first record.
    pub const START: Self = Self { sequence: 0, hash: Digest::from_bytes([0; 32]) };
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.sequence, self.hash)
    }
}

impl FromStr for Link {
    type Err = Error;

    /// Parses `SEQUENCE:HASH`, or an object with the fields `sequence` and `hash`.
    ///
    /// # Errors
    ///
    /// [`codes::WRONG_USAGE`] for anything else.
    fn from_str(text: &str) -> Result<Self, Error> {
        #[derive(Document)]
        #[document(expecting = "a place in a chain")]
        struct LinkFields {
            #[serde(rename = "slot")]
            _slot: Option<String>,
            sequence: i64,
            hash: Digest,
        }
        let written = |text: &str| {
            let LinkFields { sequence, hash, .. } =
                document::parse(text.as_bytes(), ReadLimits::DOCUMENT).ok()?;
            Some(Self { sequence, hash })
        };
        let plain = |text: &str| {
            let (sequence, hash) = text.split_once(':')?;
            Some(Self { sequence: sequence.parse().ok()?, hash: hash.parse().ok()? })
        };
        let link = if text.trim_start().starts_with('{') { written(text) } else { plain(text.trim()) };
        link.filter(|link| link.sequence >= 0).ok_or_else(|| {
            let shown: String = text.chars().take(100).collect();
            let message = format!("expected `SEQUENCE:HASH`, found `{shown}`");
            Error::new(codes::WRONG_USAGE, message)
        })
    }
}

/// A record of a call of a slot. The [module](crate::record) describes its canonical JSON and its hash.
#[derive(Clone, Debug, PartialEq, Eq, Document, Serialize)]
#[document(expecting = "a record object")]
pub struct Record {
    // In the order of canonical JSON, so that writing the struct gives the hashed text.
    /// The text of the answer, byte for byte except for redactions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The number of redacted values in the answer or the error.
    #[serde(default, skip_serializing_if = "is_none")]
    pub answer_redacted: u64,
    /// The time of the call by the host's clock, in milliseconds since 1970.
    pub at: i64,
    /// The part of the slot that answered.
    pub by: DecidedBy,
    /// The active entry of the slot's history.
    pub entry: i64,
    /// The error instead of an answer, `{"error": {code, message, path}}`, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The error of the part that failed, if another part answered in its place: `{"error": ...}`, as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// The version of the record format, 1.
    #[document(schema = r#"{"const": 1}"#)]
    pub format: u32,
    // In the store, the hash is a column next to the record.
    /// The SHA-256 of the record's canonical JSON without this field. Exported lines have it.
    #[serde(skip_serializing)]
    pub hash: Option<Digest>,
    /// The text of the input, byte for byte except for redactions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The hash of the whole input before redaction, over its canonical JSON, or over its bytes if it is not JSON.
    #[document(schema = r#"{"pattern": "^(hmac-)?sha256:[0-9a-f]{64}$"}"#)]
    pub input_hash: String,
    /// The number of redacted values in the input.
    #[serde(default, skip_serializing_if = "is_none")]
    pub input_redacted: u64,
    /// The duration of the call.
    pub microseconds: u64,
    /// The digests of the modules that answered, or of those that gave the error. Empty if the host answered.
    pub modules: Vec<Digest>,
    /// The operation of the call.
    pub operation: Operation,
    /// The hash of the previous record; `sha256:` and 64 zeros for the first one.
    pub previous: Digest,
    /// The number of the record in the slot, from 1, without gaps.
    #[document(schema = r#"{"exclusiveMinimum": 0}"#)]
    pub sequence: i64,
    /// The name of the slot.
    pub slot: String,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

impl Record {
    /// Parses a stored or exported record. Does not verify its hash: [`Chain`] does.
    ///
    /// # Errors
    ///
    /// Those of every document; [`codes::INVALID_VALUE`] for a later version of the format.
    pub fn parse(text: &[u8]) -> Result<Self, Error> {
        let record: Self = document::parse(text, ReadLimits::ANSWER)?;
        if record.format != FORMAT {
            let message = format!("the record has format {}, this host supports {FORMAT}", record.format);
            return Err(Error::new(codes::INVALID_VALUE, message).at("/format"));
        }
        Ok(record)
    }

    /// The record as an exported line: its canonical JSON, with the hash as the first field.
    pub(crate) fn exported(hash: Digest, canonical: &str) -> String {
        let rest = canonical.strip_prefix('{').unwrap_or(canonical);
        format!(r#"{{"hash":"{hash}",{rest}"#)
    }

    /// The canonical JSON from which the record's hash is computed.
    #[must_use]
    pub fn canonical(&self) -> String {
        json::write(self)
    }
}

/// A verifier of records in their order.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The slot of the chain. Without it, the first record sets it.
    slot: Option<String>,
    last: Link,
    count: u64,
    /// The positions that the chain must contain.
    holding: Vec<Link>,
}

impl Chain {
    /// Creates a verifier for a slot's chain.
    #[must_use]
    pub fn for_slot(slot: &str) -> Self {
        Self { slot: Some(slot.to_owned()), ..Self::for_any_slot() }
    }

    /// Creates a verifier for the chain of the first record's slot.
    #[must_use]
    pub const fn for_any_slot() -> Self {
        Self { slot: None, last: Link::START, count: 0, holding: Vec::new() }
    }

    /// Starts the verification after this record.
    #[must_use]
    pub fn after(self, link: Link) -> Self {
        Self { last: link, ..self }
    }

    /// Requires that the chain contains this position.
    #[must_use]
    pub fn holding(mut self, link: Link) -> Self {
        self.holding.push(link);
        self
    }

    /// Verifies the next record: an exported line, byte for byte, without the line end.
    ///
    /// # Errors
    ///
    /// [`codes::BROKEN_CHAIN`] with the number of the first record that does not match.
    pub fn line(&mut self, line: &[u8]) -> Result<Record, Error> {
        let record = Record::parse(line).map_err(|error| self.unreadable(error))?;
        let hash = record.hash.ok_or_else(|| broken(record.sequence, "has no `hash`"))?;
        if Record::exported(hash, &record.canonical()).as_bytes() != line {
            return Err(broken(
                record.sequence,
                "was changed: it is not in the form in which it was exported",
            ));
        }
        self.link(&record, hash)?;
        Ok(record)
    }

    /// Verifies the next record of the store: the hashed text, and the hash in its column.
    pub(crate) fn row(&mut self, document: &str, link: Link, at: i64) -> Result<Record, Error> {
        let record = Record::parse(document.as_bytes()).map_err(|error| self.unreadable(error))?;
        if (record.sequence, record.at) != (link.sequence, at) {
            return Err(broken(link.sequence, "is stored under another number or time"));
        }
        if record.hash.is_some() || record.canonical() != document {
            return Err(broken(link.sequence, "was changed: it is not in canonical form"));
        }
        self.link(&record, link.hash)?;
        Ok(record)
    }

    fn link(&mut self, record: &Record, hash: Digest) -> Result<(), Error> {
        let (sequence, expected) = (record.sequence, self.last.sequence + 1);
        if sequence > expected {
            let message = format!("{}: {sequence} comes next", missing(expected, sequence - 1));
            return Err(Error::new(codes::BROKEN_CHAIN, message));
        }
        let link = Link { sequence, hash };
        let slot = self.slot.get_or_insert_with(|| record.slot.clone());
        let objection = if sequence < expected {
            format!("comes at the position of record {expected}: it is repeated or out of order")
        } else if *slot != record.slot {
            let shown: String = record.slot.chars().take(64).collect();
            format!("belongs to another slot, `{shown}`")
        } else if Digest::sha256(record.canonical().as_bytes()) != hash {
            "was changed: its hash does not match its content".to_owned()
        } else if record.previous != self.last.hash {
            format!("does not follow record {}: one of the two was replaced", self.last.sequence)
        } else if self.holding.iter().any(|held| held.sequence == sequence && *held != link) {
            "does not have the noted hash: the chain was rewritten".to_owned()
        } else {
            (self.last, self.count) = (link, self.count + 1);
            return Ok(());
        };
        Err(broken(sequence, &objection))
    }

    /// The position of the last record.
    #[must_use]
    pub const fn end(&self) -> Link {
        self.last
    }

    /// Ends the verification. Returns the end of the chain and the number of records.
    ///
    /// # Errors
    ///
    /// [`codes::BROKEN_CHAIN`] if the chain ends before a required position, or starts after it.
    pub fn finish(self) -> Result<(Link, u64), Error> {
        let begins = self.last.sequence - i64::try_from(self.count).unwrap_or(i64::MAX);
        for held in &self.holding {
            if held.sequence > self.last.sequence {
                let missing = missing(self.last.sequence + 1, held.sequence);
                let message = format!("{missing}: the chain ends before the record with the noted hash");
                return Err(Error::new(codes::BROKEN_CHAIN, message));
            }
            if held.sequence <= begins && *held != Link::START {
                return Err(broken(
                    held.sequence,
                    "is not among these records, so its noted hash cannot be checked",
                ));
            }
        }
        Ok((self.last, self.count))
    }

    fn unreadable(&self, error: Error) -> Error {
        broken(self.last.sequence + 1, &format!("cannot be read: {}", error.message())).with_source(error)
    }
}

fn missing(first: i64, last: i64) -> String {
    if first == last {
        format!("record {first} is missing")
    } else {
        format!("records {first} to {last} are missing")
    }
}

fn broken(sequence: i64, what: &str) -> Error {
    Error::new(codes::BROKEN_CHAIN, format!("record {sequence} {what}"))
}
