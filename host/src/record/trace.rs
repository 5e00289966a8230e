//! The description of a call outside of its record. It reveals no more than the record.

use adjudicate_core::{
    Error, Operation,
    json::{self, Node, ReadLimits, Tape},
};
use adjudicate_trust::redaction::{self, KnownTexts, Redacted};

use super::{
    draft::hash_of,
    settings::{HashKind, RecordSettings},
};

/// A call, reduced to the data that its record would keep.
#[derive(Debug)]
pub(crate) struct CallSummary<'s> {
    settings: Option<&'s RecordSettings>,
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
    ///
    /// # Errors
    ///
    /// Those of `key`.
    pub(crate) fn new(
        settings: Option<&'s RecordSettings>,
        operation: Operation,
        input: &[u8],
        key: impl FnOnce() -> Result<[u8; 32], Error>,
    ) -> Result<Self, Error> {
        let key = match settings.map(RecordSettings::hash_kind) {
            Some(HashKind::Keyed) => Some(key()?),
            Some(HashKind::Plain) | None => None,
        };
        let patterns = settings.map_or(&[][..], |settings| &settings.redact);
        let tape = operation.read(input);
        let (Redacted { text, .. }, known) = redaction::input(operation, input, tape.as_ref(), patterns);
        let kept = text.filter(|_| settings.is_none_or(|settings| settings.inputs));
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
        let patterns = self.settings.map_or(&[][..], |settings| &settings.redact);
        let kept =
            if self.is_blind { None } else { redaction::answer(text, patterns, self.known.as_ref()).text };
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

/// The run of a call.
pub(crate) fn run_id<'t>(call: &'t Tape<'_>) -> Option<&'t str> {
    let root = call.root();
    root.member("envelope").unwrap_or(root).member("run_id").and_then(Node::as_str)
}
