//! Decision records: what was asked and answered in a slot, as a chain of hashes (SPEC section 13.6).
//!
//! ```text
//! call -> Observation -> redacted, hashed (on the caller's thread) -> bounded queue -> one thread -> one transaction for many
//!                                                                         ^ callers wait here: nothing is dropped
//! ```
//!
//! Owns the form of a record, redaction, and the verification of a chain. [`Recorder`](crate::Recorder) owns the queue with its one
//! writer. SQL is the store's.
//!
//! # The form of a record
//!
//! A JSON object of strings, integers and one list of strings, kept as its canonical JSON. Exported, it is one line of NDJSON: the same
//! text with `hash` as its first member. A record that is written in any other way was changed, even where it means the same.
//!
//! | member | type | meaning |
//! | --- | --- | --- |
//! | `format` | integer | 1 |
//! | `slot` | string | the slot's name |
//! | `sequence` | integer | its number in the slot, from 1, without a gap |
//! | `at` | integer | when the call came, in milliseconds since 1970, by the host's clock |
//! | `operation` | string | what was asked |
//! | `input_hash` | string | of the whole input, before anything was taken out: `sha256:` or `hmac-sha256:` and 64 hexadecimal digits, of its canonical JSON; of its bytes where it is no JSON |
//! | `input` | string, optional | the text of the input, byte for byte unless something was taken out |
//! | `input_redacted` | integer, optional | how many values were taken out of it |
//! | `answer` | string, optional | the text of the answer, byte for byte unless something was taken out |
//! | `error` | string, optional | instead of an answer, `{"error": {code, message, path}}` |
//! | `answer_redacted` | integer, optional | how many values were taken out of the answer or the error |
//! | `by` | string | who answered: `active`, `canary`, `last_good` or `fail_closed` |
//! | `fault` | string, optional | what failed, where somebody else answered in its place: `{"error": ...}` |
//! | `modules` | list of strings | the digests of the modules that were asked |
//! | `entry` | integer | the entry of the slot's history that was in force |
//! | `microseconds` | integer | how long the call took |
//! | `previous` | string | the hash of the record before; for the first one `sha256:` and 64 zeros |
//! | `hash` | string | `sha256:` and the SHA-256 of the record's canonical JSON without this member |
//!
//! Documents are kept as texts, not as JSON within JSON, so that the hash covers every byte that was asked and answered and a
//! replay can compare bytes; and since there is no fraction anywhere in a record, any JSON library that sorts members writes the
//! canonical form. In Python:
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
//! # What a chain shows, and what it does not
//!
//! A record that was changed, taken away, put elsewhere or added is found, and where. That the last records are missing cannot be
//! seen in what is left, and whoever may write the store can write all of it anew. Against both, keep the head of the chain
//! ([`Store::record_head`](crate::Store::record_head)) somewhere else from time to time, and [verify](Chain::holding) that the chain
//! still goes through it.
//!
//! # What is taken out
//!
//! Before anything is written or queued, whatever the [patterns](crate::Pattern) of the slot meet is replaced by
//! `{"x-redacted":true}`, the same for every value. Patterns begin at the root of the input, of each document in it (so that a bare
//! envelope and one in a call are met alike), and of the answer. Texts of four bytes or more that were taken out of the input,
//! and what the engine reads in them (such as the paths of a diff summary), are taken out of the answer wherever they are part of a
//! text or a name there; the status alone is excepted, and the words of the
//! envelope's own form, such as `completed`. With patterns, only the
//! code of an error is kept, and nothing of an input that cannot be read. The module itself sees everything: what it answers in
//! other words than the input's is met by patterns alone.
//!
//! The hash of the input tells whether two inputs were the same, and confirms a guess of a whole input to whoever holds the record.
//! Hence [`HashKind`].

mod by;
mod chain;
mod copy;
mod draft;
mod pattern;
mod redact;
mod removed;
mod settings;
mod trace;
mod words;

pub use by::By;
pub use chain::{Chain, Link, Record};
pub(crate) use copy::without_member;
pub use draft::Observation;
pub(crate) use draft::{Draft, input_digest};
pub use pattern::Pattern;
pub use settings::{Acknowledge, HashKind, RecordSettings};
pub(crate) use trace::{Trace, run_id};

/// The version of a record's form.
const FORMAT: u32 = 1;
