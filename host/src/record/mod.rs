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
//! # The format of a record
//!
//! A record is a JSON object of strings, integers and one list of strings. The store keeps its canonical JSON. The exported form
//! is one line of NDJSON: the same text with `hash` as the first field. Every other spelling counts as a change, even with the
//! same meaning.
//!
//! [`Record`] describes the fields.
//!
//! Input and answer are texts, not nested JSON. So the hash covers every byte of them, and a replay can compare bytes. A record
//! has no fractions, so every JSON library that sorts fields writes the canonical form. In Python:
//!
//! ```python
//! import hashlib, json, sys
//! previous = "sha256:" + "0" * 64
//! for number, line in enumerate(sys.stdin.buffer, 1):
//!     record = json.loads(line)
//!     hash = record.pop("hash")
//!     text = json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
//!     assert record["sequence"] == number and record["previous"] == previous, number
//!     assert hash == "sha256:" + hashlib.sha256(text.encode()).hexdigest(), number
//!     assert line == f'{{"hash":"{hash}",{text[1:]}\n'.encode(), number
//!     previous = hash
//! ```
//!
//! # Guarantees of a chain
//!
//! The verification finds every record that was changed, removed, moved or added. It cannot find that the last records are
//! missing. An attacker who can write to the store can also rewrite the whole chain. To find both, regularly keep the head of the
//! chain ([`Store::record_head`](crate::Store::record_head)) in another place, and [verify](Chain::holding) that the chain still
//! contains it.
//!
//! # Redaction
//!
//! Before a record is queued or written, [`redaction`](adjudicate_trust::redaction) replaces each value at which a
//! [pattern](crate::RedactionPattern) of the slot points. A pattern that can match no place of any input or answer is refused.
//!
//! With patterns, the record of an error keeps only the code, and an input that cannot be parsed is not kept.
//!
//! The module itself gets the whole input. If its answer spells a value in short pieces, only a pattern can redact it.
//!
//! The hash of the input shows whether two inputs were equal. A reader of the record can also use it to confirm a guess of the
//! whole input. To prevent that, use a keyed hash: [`HashKind`].

mod chain;
mod decided_by;
mod draft;
#[cfg(test)]
mod leaks;
mod settings;
mod trace;

pub use chain::{Chain, Link, Record};
pub use decided_by::DecidedBy;
pub use draft::CallObservation;
pub use settings::{Acknowledge, HashKind, RecordSettings};

pub(crate) use draft::{UnchainedRecord, input_digest};
pub(crate) use trace::{CallSummary, run_id};

/// The version of the record format.
const FORMAT: u32 = 1;
