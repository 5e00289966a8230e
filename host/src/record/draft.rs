//! A record of a call, complete except for its position in the chain; and a summary, which reveals no more than the record.

use adjudicate_core::{
    Error, Operation,
    json::{self, Node, ReadLimits, Tape},
    module::hex,
};
use adjudicate_sandbox::{CallError, Digest};
use adjudicate_trust::redaction::{self, KnownTexts, Redacted};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest as _, Sha256};

use super::{
    DecidedBy, FORMAT,
    chain::{Link, Record},
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
    /// The canonical JSON up to the fields that depend on the chain ([`tail`]).
    head: String,
    /// The state of the hash after `head`, so that the one writer thread has little left to hash.
    state: Sha256,
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
        let record = Record {
            answer_redacted: error.as_ref().unwrap_or(&answer).count,
            answer: answer.text,
            at: call.at,
            by: call.by,
            entry: call.entry,
            error: error.and_then(|error| error.text),
            fault: fault.and_then(|fault| fault.text),
            format: FORMAT,
            hash: None,
            input: input.text,
            input_hash,
            input_redacted: input.count,
            microseconds: call.microseconds,
            modules: call.modules.to_vec(),
            operation: call.operation,
            previous: Link::START.hash,
            sequence: Link::START.sequence,
            slot: call.slot.to_owned(),
        };
        let mut head = record.canonical();
        head.truncate(head.len() - tail(Link::START.hash, Link::START.sequence, &record.slot).len());
        let state = Sha256::new_with_prefix(&head);
        Ok(Self { slot: record.slot, at: record.at, head, state })
    }

    #[cfg(test)]
    pub(super) fn text(&self) -> &str {
        &self.head
    }

    pub(crate) const fn len(&self) -> usize {
        self.head.len()
    }

    /// Completes the record after the given position. Returns its text and its own position.
    pub(crate) fn placed(&self, after: &Link) -> (String, Link) {
        let sequence = after.sequence + 1;
        let tail = tail(after.hash, sequence, &self.slot);
        let hash = self.state.clone().chain_update(&tail).finalize();
        (format!("{}{tail}", self.head), Link { sequence, hash: Digest::from_bytes(hash.into()) })
    }
}

/// The last fields of a record's canonical JSON, which depend on the chain.
fn tail(previous: Digest, sequence: i64, slot: &str) -> String {
    format!(r#","previous":"{previous}","sequence":{sequence},"slot":{}}}"#, json::write(&slot))
}

/// The hash of a document's canonical JSON, or of its bytes if it is not JSON. With a key, the hash is keyed.
fn hash_of(key: Option<&[u8; 32]>, tape: Option<&Tape<'_>>, bytes: &[u8]) -> String {
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

/// A call, reduced to the data that its record would keep.
#[derive(Debug)]
pub(crate) struct CallSummary<'s> {
    settings: &'s RecordSettings,
    key: Option<[u8; 32]>,
    known: Option<KnownTexts>,
    /// True if the content of an answer is unknown, so nothing of it may be shown.
    is_blind: bool,
    /// The hash of the input, the same as in its record.
    pub(crate) input_hash: String,
    /// The run, if the input names one and the record would keep it.
    pub(crate) run_id: Option<String>,
}

impl<'s> CallSummary<'s> {
    /// Describes a call of a slot with these settings for records.
    pub(crate) fn new(
        settings: &'s RecordSettings,
        operation: Operation,
        input: &[u8],
        key: impl FnOnce() -> Result<[u8; 32], Error>,
    ) -> Result<Self, Error> {
        let key = match settings.hash_kind() {
            HashKind::Keyed => Some(key()?),
            HashKind::Plain => None,
        };
        let patterns = &settings.redact;
        let tape = operation.read(input);
        let (Redacted { text, .. }, known) = redaction::input(operation, input, tape.as_ref(), patterns);
        let kept = text.filter(|_| settings.inputs);
        let kept = kept.as_ref().and_then(|text| operation.read(text.as_bytes()).ok());
        Ok(Self {
            settings,
            input_hash: hash_of(key.as_ref(), tape.as_ref().ok(), input),
            run_id: kept.as_ref().and_then(run_id).map(|run| run.chars().take(200).collect()),
            is_blind: tape.is_err() && !patterns.is_empty(),
            key,
            known,
        })
    }

    /// One line about an answer: the fields that programs act on, and its hash.
    pub(crate) fn answer(&self, text: &str) -> String {
        let hash = hash_of(self.key.as_ref(), None, text.as_bytes());
        let kept = if self.is_blind {
            None
        } else {
            redaction::answer(text, &self.settings.redact, self.known.as_ref()).text
        };
        let tape = kept.as_ref().and_then(|text| json::read(text.as_bytes(), ReadLimits::ANSWER).ok());
        let decision = tape.as_ref().and_then(|tape| tape.root().member("decision"));
        let word = |name| {
            let member = decision.and_then(|decision| decision.member(name))?;
            member.as_str().or_else(|| (!member.is_empty()).then_some("redacted"))
        };
        match word("status") {
            Some(status) => format!("{status}, next {}, {hash}", word("next_step").unwrap_or("none")),
            None => hash,
        }
    }
}

pub(crate) fn run_id<'t>(call: &'t Tape<'_>) -> Option<&'t str> {
    let root = call.root();
    root.member("envelope").unwrap_or(root).member("run_id").and_then(Node::as_str)
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
