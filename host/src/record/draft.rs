//! A record of a call, complete except for its position in the chain.

use adjudicate_core::{
    Error, Operation,
    json::{self, Tape},
    module::hex,
};
use adjudicate_sandbox::{CallError, Digest};
use adjudicate_trust::redaction::{self, Redacted};
use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::{
    FORMAT,
    chain::Link,
    decided_by::DecidedBy,
    settings::{HashKind, RecordSettings},
};

/// A call of a slot and its outcome.
#[derive(Clone, Copy, Debug)]
pub struct CallObservation<'a> {
    /// The slot's name.
    pub slot: &'a str,
    /// The slot's settings for records.
    pub settings: &'a RecordSettings,
    /// The time of the call, in milliseconds since 1970.
    pub at: i64,
    /// The operation of the call.
    pub operation: Operation,
    /// The call's input.
    pub input: &'a [u8],
    /// The answer or the error that the caller gets.
    pub outcome: Result<&'a str, &'a CallError>,
    /// The part of the slot that answered or failed.
    pub by: DecidedBy,
    /// The active entry of the slot's history.
    pub entry: i64,
    /// The called modules, in order.
    pub modules: &'a [Digest],
    /// The error of the part that failed, if another part answered in its place.
    pub fault: Option<&'a Error>,
    /// The duration of the call in microseconds.
    pub microseconds: u64,
}

/// A record without its position in the chain, which is known only when the record is written.
#[derive(Clone, Debug)]
pub(crate) struct UnchainedRecord {
    pub(crate) slot: String,
    pub(crate) at: i64,
    /// The canonical JSON up to the fields that depend on the chain. In alphabetical order, those fields come last.
    head: String,
    /// The state of the hash after `head`, so that the one writer thread has little left to hash.
    state: Sha256,
}

/// The fields in the order of canonical JSON.
#[derive(Serialize)]
struct RecordFields<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<&'a str>,
    #[serde(skip_serializing_if = "is_none")]
    answer_redacted: u64,
    at: i64,
    by: DecidedBy,
    entry: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<&'a str>,
    format: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<&'a str>,
    input_hash: &'a str,
    #[serde(skip_serializing_if = "is_none")]
    input_redacted: u64,
    microseconds: u64,
    modules: Vec<String>,
    operation: &'static str,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

impl UnchainedRecord {
    /// Builds the record on the caller's thread, with all redactions.
    pub(crate) fn new(
        call: &CallObservation<'_>,
        key: impl FnOnce() -> Result<[u8; 32], Error>,
    ) -> Result<Self, Error> {
        let settings = call.settings;
        let patterns = &settings.redact;
        let tape = call.operation.read(call.input);
        let key = match settings.hash_kind() {
            HashKind::Plain => None,
            HashKind::Keyed => Some(key()?),
        };
        let input_hash = hash_of(key.as_ref(), tape.as_ref().ok(), call.input);
        let (input, known) = redaction::input(call.operation, call.input, tape.as_ref(), patterns);
        let input = if settings.inputs { input } else { Redacted::default() };
        let (answer, error) = match call.outcome {
            // Without a readable input, the texts to redact are unknown, and the answer may quote them.
            Ok(_) if tape.is_err() && !patterns.is_empty() => Default::default(),
            Ok(answer) => (redaction::answer(answer, patterns, known.as_ref()), None),
            Err(error) => {
                (Redacted::default(), Some(redaction::error(&error.to_json(), error.code(), patterns)))
            }
        };
        let fault =
            call.fault.map(|fault| redaction::error(&fault.to_json(), fault.code().as_str(), patterns));
        let reply = error.as_ref().unwrap_or(&answer);
        let members = RecordFields {
            answer: answer.text.as_deref(),
            answer_redacted: reply.count,
            at: call.at,
            by: call.by,
            entry: call.entry,
            error: error.as_ref().and_then(|error| error.text.as_deref()),
            fault: fault.as_ref().and_then(|fault| fault.text.as_deref()),
            format: FORMAT,
            input: input.text.as_deref(),
            input_hash: &input_hash,
            input_redacted: input.count,
            microseconds: call.microseconds,
            modules: call.modules.iter().map(Digest::to_string).collect(),
            operation: call.operation.name(),
        };
        let mut head = json::write(&members);
        head.pop();
        let state = Sha256::new_with_prefix(&head);
        Ok(Self { slot: call.slot.to_owned(), at: call.at, head, state })
    }

    #[cfg(test)]
    pub(super) fn text(&self) -> &str {
        &self.head
    }

    /// The size of the record in bytes.
    pub(crate) const fn len(&self) -> usize {
        self.head.len()
    }

    /// Completes the record after the given position. Returns its text and its own position.
    pub(crate) fn placed(&self, after: &Link) -> (String, Link) {
        let sequence = after.sequence + 1;
        let slot = json::write(&self.slot);
        let tail = format!(r#","previous":"{}","sequence":{sequence},"slot":{slot}}}"#, after.hash);
        let mut state = self.state.clone();
        state.update(&tail);
        let hash = Digest::from_bytes(state.finalize().into());
        let mut text = String::with_capacity(self.head.len() + tail.len());
        text.push_str(&self.head);
        text.push_str(&tail);
        (text, Link { sequence, hash })
    }
}

/// The hash of a document's canonical JSON, or of its bytes if it is not JSON. With a key, the hash is keyed.
pub(super) fn hash_of(key: Option<&[u8; 32]>, tape: Option<&Tape<'_>>, bytes: &[u8]) -> String {
    let canonical = tape.map(|tape| json::canonical(tape.root()));
    let hashed = canonical.as_ref().map_or(bytes, |text| text.as_bytes());
    match key {
        None => Digest::sha256(hashed).to_string(),
        Some(key) => keyed(key, hashed),
    }
}

/// The SHA-256 of an input's canonical JSON, or of its bytes if it is not JSON.
pub(crate) fn input_digest(operation: Operation, input: &[u8]) -> Digest {
    match operation.read(input) {
        Ok(tape) => Digest::sha256(json::canonical(tape.root()).as_bytes()),
        Err(_) => Digest::sha256(input),
    }
}

fn keyed(key: &[u8; 32], bytes: &[u8]) -> String {
    // HMAC pads keys that are shorter than a block with zeros.
    let mut block = [0; 64];
    block.iter_mut().zip(key).for_each(|(byte, key)| *byte = *key);
    let mut mac = Hmac::<Sha256>::new(&block.into());
    mac.update(bytes);
    format!("hmac-sha256:{}", hex(&mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_hashed_as_canonical_json() {
        let settings = RecordSettings::default();
        let fault = Error::new(crate::codes::MODULE_TRAP, "trapped \u{1f} é\u{7f}");
        let error = CallError::Fault(fault.clone());
        for outcome in [Ok(r#"{"b":1.50, "a":"\u0000"}"#), Err(&error)] {
            let call = CallObservation {
                slot: "s",
                settings: &settings,
                at: -5,
                operation: Operation::Evaluate,
                input: b"{ \"z\": 1, \"a\": \"\\n/\" }",
                outcome,
                by: DecidedBy::LastGood,
                entry: 7,
                modules: &[Digest::sha256(b"1"), Digest::sha256(b"2")],
                fault: Some(&fault),
                microseconds: u64::MAX,
            };
            let draft = UnchainedRecord::new(&call, || Err(fault.clone())).unwrap();
            let (text, link) = draft.placed(&Link { sequence: 41, hash: Digest::sha256(b"before") });
            let tape = json::read(text.as_bytes(), json::ReadLimits::ANSWER).unwrap();
            assert_eq!(json::canonical(tape.root()), text);
            assert_eq!(link, Link { sequence: 42, hash: Digest::sha256(text.as_bytes()) });
            assert!(text.contains(r#""input":"{ \"z\": 1, \"a\": \"\\n/\" }""#), "{text}");
        }
    }

    #[test]
    fn keyed_hashes_are_those_of_the_standard() {
        // RFC 4231, test case 1. Its key has 20 bytes; keys are padded with zeros.
        let mut key = [0; 32];
        key[..20].fill(0x0b);
        assert_eq!(
            keyed(&key, b"Hi There"),
            "hmac-sha256:b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        );
    }
}
