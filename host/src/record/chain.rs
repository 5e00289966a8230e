//! A chain of records: reading it, and finding where it was tampered with.

use std::{fmt, str::FromStr};

use adjudicate_core::{Error, json};
use adjudicate_sandbox::Digest;
use serde::{Deserialize, Serialize};

use super::FORMAT;
use crate::codes;

/// A place in a chain: the number of a record and its hash. Kept somewhere else, it shows later whether the chain still goes
/// through it.
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
    /// The record's number, from 1; 0 is before the first.
    pub sequence: i64,
    /// The record's hash; zeros before the first.
    pub hash: Digest,
}

impl Link {
    /// What the first record of a chain follows.
    pub const START: Self = Self { sequence: 0, hash: Digest::from_bytes([0; 32]) };
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.sequence, self.hash)
    }
}

impl FromStr for Link {
    type Err = Error;

    /// Reads `SEQUENCE:HASH`, or an object with the members `sequence` and `hash`.
    ///
    /// # Errors
    ///
    /// [`codes::WRONG_USAGE`] for anything else.
    fn from_str(text: &str) -> Result<Self, Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Written {
            #[serde(rename = "slot")]
            _slot: Option<String>,
            sequence: i64,
            hash: Digest,
        }
        let written = |text: &str| {
            let tape = json::read(text.as_bytes(), json::Limits::DOCUMENT).ok()?;
            let Written { sequence, hash, .. } = tape.decode().ok()?;
            Some(Self { sequence, hash })
        };
        let plain = |text: &str| {
            let (sequence, hash) = text.split_once(':')?;
            Some(Self { sequence: sequence.parse().ok()?, hash: hash.parse().ok()? })
        };
        let link = if text.trim_start().starts_with('{') { written(text) } else { plain(text.trim()) };
        link.filter(|link| link.sequence >= 0).ok_or_else(|| {
            let shown: String = text.chars().take(100).collect();
            let message = format!("`{shown}` is no place in a chain: expected `SEQUENCE:HASH`");
            Error::new(codes::WRONG_USAGE, message)
        })
    }
}

/// A record, as it is kept. The members are those of the [table](crate::record).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the table of the module has them")]
pub struct Record {
    // In the order of canonical JSON: written as they stand, they are what was hashed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    #[serde(default, skip_serializing_if = "is_none")]
    pub answer_redacted: u64,
    pub at: i64,
    pub by: String,
    pub entry: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    pub format: u32,
    /// Of a line that was exported; in the store it stands beside the record.
    #[serde(skip_serializing)]
    pub hash: Option<Digest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    pub input_hash: String,
    #[serde(default, skip_serializing_if = "is_none")]
    pub input_redacted: u64,
    pub microseconds: u64,
    pub modules: Vec<Digest>,
    pub operation: String,
    pub previous: Digest,
    pub sequence: i64,
    pub slot: String,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

impl Record {
    /// Reads a record as it is kept or exported; whether it is what was written is for a [`Chain`] to say.
    ///
    /// # Errors
    ///
    /// As for every document; [`codes::INVALID_VALUE`] for a form of a later version.
    pub fn parse(text: &[u8]) -> Result<Self, Error> {
        let record: Self = json::read(text, json::Limits::ANSWER)?.decode()?;
        if record.format != FORMAT {
            let message = format!("the record has the form {}, this host knows {FORMAT}", record.format);
            return Err(Error::new(codes::INVALID_VALUE, message).at("/format"));
        }
        Ok(record)
    }

    /// The record as one line: its canonical JSON, with its hash as the first member.
    pub(crate) fn exported(hash: Digest, canonical: &str) -> String {
        let rest = canonical.strip_prefix('{').unwrap_or(canonical);
        format!(r#"{{"hash":"{hash}",{rest}"#)
    }

    /// The canonical JSON that the record's hash is of.
    #[must_use]
    pub fn canonical(&self) -> String {
        json::write(self)
    }
}

/// Verifies records, in their order.
///
/// ```
/// use adjudicate_host::Chain;
/// let mut chain = Chain::of("release");
/// let error = chain.line(br#"{"sequence": 1}"#).unwrap_err();
/// assert_eq!(error.code().as_str(), "broken_chain");
/// ```
#[derive(Clone, Debug)]
pub struct Chain {
    /// Whose chain it is; that of the first record, until it is known.
    slot: Option<String>,
    last: Link,
    count: u64,
    /// Places that the chain must go through.
    holding: Vec<Link>,
}

impl Chain {
    /// The chain of a slot.
    #[must_use]
    pub fn of(slot: &str) -> Self {
        Self { slot: Some(slot.to_owned()), ..Self::of_any() }
    }

    /// The chain of whichever slot the first record is of.
    #[must_use]
    pub const fn of_any() -> Self {
        Self { slot: None, last: Link::START, count: 0, holding: Vec::new() }
    }

    /// The part of a chain that follows this place.
    #[must_use]
    pub fn after(self, link: Link) -> Self {
        Self { last: link, ..self }
    }

    /// The chain, which must go through this place, too.
    #[must_use]
    pub fn holding(mut self, link: Link) -> Self {
        self.holding.push(link);
        self
    }

    /// Takes the next record, a line as it was exported, byte for byte and without its end.
    ///
    /// # Errors
    ///
    /// [`codes::BROKEN_CHAIN`] with the number of the record at which the chain is not what was written.
    pub fn line(&mut self, line: &[u8]) -> Result<Record, Error> {
        let record = Record::parse(line).map_err(|error| self.unreadable(&error))?;
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

    /// Takes the next record as the store has it: the text that was hashed, and the hash beside it.
    pub(crate) fn row(&mut self, document: &str, link: Link, at: i64) -> Result<Record, Error> {
        let record = Record::parse(document.as_bytes()).map_err(|error| self.unreadable(&error))?;
        if (record.sequence, record.at) != (link.sequence, at) {
            return Err(broken(link.sequence, "is not kept under its own number and time"));
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
        if sequence < expected {
            return Err(broken(
                sequence,
                &format!("comes where {expected} is expected: twice, or out of order"),
            ));
        }
        if self.slot.get_or_insert_with(|| record.slot.clone()) != &record.slot {
            let shown: String = record.slot.chars().take(64).collect();
            return Err(broken(sequence, &format!("is of another slot, `{shown}`")));
        }
        if Digest::of(record.canonical().as_bytes()) != hash {
            return Err(broken(sequence, "was changed: its hash is not that of what it holds"));
        }
        if record.previous != self.last.hash {
            let before = self.last.sequence;
            return Err(broken(
                sequence,
                &format!("does not follow record {before}: one of the two was replaced"),
            ));
        }
        let link = Link { sequence, hash };
        if self.holding.iter().any(|held| held.sequence == sequence && *held != link) {
            return Err(broken(
                sequence,
                "is another one than when its hash was noted: the chain was written anew",
            ));
        }
        (self.last, self.count) = (link, self.count + 1);
        Ok(())
    }

    /// The record that was taken last.
    #[must_use]
    pub const fn end(&self) -> Link {
        self.last
    }

    /// The end of the chain, and how many records it was given.
    ///
    /// # Errors
    ///
    /// [`codes::BROKEN_CHAIN`] if it ends before a place that it must go through, or began behind one.
    pub fn finish(self) -> Result<(Link, u64), Error> {
        let begins = self.last.sequence - i64::try_from(self.count).unwrap_or(i64::MAX);
        for held in &self.holding {
            if held.sequence > self.last.sequence {
                let missing = missing(self.last.sequence + 1, held.sequence);
                let message = format!("{missing}: the chain ends before the one whose hash was noted");
                return Err(Error::new(codes::BROKEN_CHAIN, message));
            }
            if held.sequence <= begins && *held != Link::START {
                return Err(broken(
                    held.sequence,
                    "is not among these, so the hash that was noted shows nothing",
                ));
            }
        }
        Ok((self.last, self.count))
    }

    fn unreadable(&self, error: &Error) -> Error {
        broken(self.last.sequence + 1, &format!("cannot be read: {}", error.message()))
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
