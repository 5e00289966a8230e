//! The settings for a slot's decision records.

use adjudicate_core::{Error, document::Document, json};
use adjudicate_trust::redaction::RedactionPattern;
use serde::Serialize;

use crate::codes;

/// When a call that is recorded may return.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Document, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Acknowledge {
    /// When the record is on the disk. If it cannot be brought there, the caller gets the error and no answer.
    #[default]
    Durable,
    /// When there is room for the record in the queue. A process that is killed loses what is in there, at most.
    Queued,
}

/// The hash of inputs.
///
/// With a plain hash, every reader who can guess an input can confirm the guess, and sees which inputs are equal. A keyed one
/// lets only those do so who have the store's key; it can be compared within one store and not beyond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HashKind {
    /// SHA-256, written `sha256:` and 64 hexadecimal digits.
    Plain,
    /// HMAC-SHA-256 with a key that the store made for itself, written `hmac-sha256:` and 64 hexadecimal digits.
    Keyed,
}

/// The settings of a slot's decision records (docs/reference/records.md).
///
/// ```
/// use adjudicate_host::{Acknowledge, HashKind, SlotSettings};
/// let settings = SlotSettings::parse(br#"{"records": {"redact": ["/evidence/transcript_summary", "/**/email"]}}"#)?;
/// let records = settings.records.unwrap_or_default();
/// assert_eq!((records.acknowledge, records.inputs, records.queue), (Acknowledge::Durable, true, 1024));
/// // Redacted values must not be guessable from the hash.
/// assert_eq!(records.hash_kind(), HashKind::Keyed);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Document, Serialize)]
#[document(expecting = "an object with the settings of decision records")]
pub struct RecordSettings {
    /// The point at which a call may return: its record is on the disk (`durable`), or in the queue (`queued`).
    #[serde(default)]
    pub acknowledge: Acknowledge,
    /// True if inputs are kept, so that they can be decided again.
    #[document(default = true)]
    pub inputs: bool,
    /// The values to remove from inputs and answers before they are kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redact: Vec<RedactionPattern>,
    /// The hash of inputs. Default: plain if the record keeps the whole input, otherwise keyed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<HashKind>,
    /// The most records that wait to be written, from 1 to 65,536. Then callers wait.
    #[document(default = Self::QUEUE)]
    pub queue: u32,
}

impl Default for RecordSettings {
    fn default() -> Self {
        Self {
            acknowledge: Acknowledge::Durable,
            inputs: true,
            redact: Vec::new(),
            hash: None,
            queue: Self::QUEUE,
        }
    }
}

impl RecordSettings {
    /// The default number of waiting records.
    const QUEUE: u32 = 1024;
    /// The largest number of waiting records.
    pub const MAX_QUEUE: u32 = 65_536;
    /// The largest number of patterns.
    pub const MAX_PATTERNS: usize = 256;

    /// The kind of hash for inputs.
    #[must_use]
    pub fn hash_kind(&self) -> HashKind {
        let is_whole = self.inputs && self.redact.is_empty();
        self.hash.unwrap_or(if is_whole { HashKind::Plain } else { HashKind::Keyed })
    }

    /// Rejects settings that cannot work. The path is relative to the slot's settings.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let invalid =
            |message: String, path: &'static str| Err(Error::new(codes::INVALID_VALUE, message).at(path));
        if !(1..=Self::MAX_QUEUE).contains(&self.queue) {
            return invalid(
                format!("expected a queue of 1 to {} records", Self::MAX_QUEUE),
                "/records/queue",
            );
        }
        if self.redact.len() > Self::MAX_PATTERNS {
            return invalid(format!("expected at most {} patterns", Self::MAX_PATTERNS), "/records/redact");
        }
        if let Some((index, pattern)) =
            self.redact.iter().enumerate().find(|(_, pattern)| !pattern.is_declared())
        {
            let shown = json::shorten(pattern.as_str());
            let message = format!(
                "`{shown}` is a place in no input and in no answer, so it would redact nothing; \
                 a field of an output is `/output/NAME`"
            );
            return Err(Error::new(codes::INVALID_VALUE, message).at(format!("/records/redact/{index}")));
        }
        Ok(())
    }
}
