//! Decision records: the calls of a slot and their outcomes, as a chain of hashes (docs/reference/records.md).
//!
//! ```text
//! call -> CallObservation -> redacted, hashed (on the caller's thread) -> bounded queue -> one thread -> one transaction for many
//!                                                                             ^ callers wait here: nothing is dropped
//! ```
//!
//! This module owns the format of a record and the verification of a chain. [`Recorder`](crate::Recorder) owns the queue and its one
//! writer. The store owns the SQL.
//!
//! [`Record`] describes the fields. The store keeps the canonical JSON of a record. The exported form is one line: the same text with
//! `hash` as the first field. Every other spelling counts as a change, even with the same meaning. Input and answer are texts, not
//! nested JSON, so the hash covers every byte of them, and a replay can compare bytes.
//!
//! Before a record is queued or written, [`redaction`](adjudicate_trust::redaction) replaces each value at which a
//! [pattern](crate::RedactionPattern) of the slot points. A pattern that can match no place of any input or answer is refused.

mod chain;
mod draft;
mod settings;
#[cfg(test)]
mod tests;

use adjudicate_core::document::Document;
use serde::Serialize;

pub use chain::{Chain, Link, Record};
pub use draft::CallObservation;
pub use settings::{Acknowledge, HashKind, RecordSettings};

pub(crate) use draft::{CallSummary, UnchainedRecord, input_digest, run_id};

/// The part of a slot that made a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DecidedBy {
    /// The active composition.
    Active,
    /// The canary.
    Canary,
    /// The last good version, restricted by the finding `module_fault`. For the canary this is the active composition, for the active
    /// composition the one before.
    LastGood,
    /// The host, because a module failed and no other version could answer.
    FailClosed,
}

/// The version of the record format.
const FORMAT: u32 = 1;
