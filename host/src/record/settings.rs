//! Which records a slot keeps, and what they hold.

use adjudicate_core::Error;
use serde::{Deserialize, Serialize};

use super::pattern::Pattern;
use crate::codes;

/// When a call that is recorded may return.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Acknowledge {
    /// When the record is on the disk. If it cannot be brought there, the caller gets the error and no answer.
    #[default]
    Durable,
    /// When there is room for the record in the queue. A process that is killed loses what is in there, at most.
    Queued,
}

/// How inputs are hashed.
///
/// A plain hash lets anybody who can guess an input confirm the guess, and anybody see which inputs were the same. A keyed one
/// lets only those do so who have the store's key; it can be compared within one store and not beyond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HashKind {
    /// SHA-256, written `sha256:` and 64 hexadecimal digits.
    Plain,
    /// HMAC-SHA-256 with a key that the store made for itself, written `hmac-sha256:` and 64 hexadecimal digits.
    Keyed,
}

/// Which records a slot keeps (SPEC section 13.6).
///
/// ```
/// use adjudicate_host::{Acknowledge, HashKind, SlotSettings};
/// let settings = SlotSettings::parse(br#"{"records": {"redact": ["/evidence/transcript_summary", "/**/email"]}}"#)?;
/// let records = settings.records.unwrap_or_default();
/// assert_eq!((records.acknowledge, records.inputs, records.queue), (Acknowledge::Durable, true, 1024));
/// // Whoever takes something away does not want it to be guessed either.
/// assert_eq!(records.hash_kind(), HashKind::Keyed);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object that says which records to keep")]
pub struct RecordSettings {
    /// When a call may return.
    #[serde(default)]
    pub acknowledge: Acknowledge,
    /// Whether inputs are kept, so that they can be decided again.
    #[serde(default = "yes")]
    pub inputs: bool,
    /// What is taken out of inputs and answers before they are kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redact: Vec<Pattern>,
    /// How inputs are hashed. Default: plain where the whole input is kept anyway, else keyed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<HashKind>,
    /// How many records may wait to be written before callers have to wait for room.
    #[serde(default = "queue")]
    pub queue: u32,
}

const fn yes() -> bool {
    true
}

const fn queue() -> u32 {
    1024
}

impl Default for RecordSettings {
    fn default() -> Self {
        Self {
            acknowledge: Acknowledge::Durable,
            inputs: true,
            redact: Vec::new(),
            hash: None,
            queue: queue(),
        }
    }
}

impl RecordSettings {
    /// How many records may be allowed to wait.
    pub const MAX_QUEUE: u32 = 65_536;
    /// How many patterns there may be.
    pub const MAX_PATTERNS: usize = 256;

    /// How inputs are hashed.
    #[must_use]
    pub fn hash_kind(&self) -> HashKind {
        let is_whole = self.inputs && self.redact.is_empty();
        self.hash.unwrap_or(if is_whole { HashKind::Plain } else { HashKind::Keyed })
    }

    /// Refuses settings that cannot work; the path is that in a slot's settings.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let invalid =
            |message: String, path: &'static str| Err(Error::new(codes::INVALID_VALUE, message).at(path));
        if !(1..=Self::MAX_QUEUE).contains(&self.queue) {
            return invalid(
                format!("a queue has room for 1 to {} records", Self::MAX_QUEUE),
                "/records/queue",
            );
        }
        if self.redact.len() > Self::MAX_PATTERNS {
            return invalid(
                format!("there may be {} patterns at most", Self::MAX_PATTERNS),
                "/records/redact",
            );
        }
        Ok(())
    }
}
