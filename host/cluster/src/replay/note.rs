//! The notes that a host sends to a run about its jobs.

use std::borrow::Cow;

use adjudicate_core::{
    Error,
    document::{self, Document},
    json,
};
use adjudicate_host::{codes, reevaluation::Outcome};
use adjudicate_sandbox::Digest;
use serde::Serialize;

use super::job::{FORMAT, check_format, written};

/// The longest reason in characters.
const LONGEST_REASON: usize = 1000;
/// The longest name of a host in bytes.
const LONGEST_HOST: usize = 64;

/// The answer to a note: continue.
pub(super) const CONFIRMED: &[u8] = b"confirmed";
/// The answer to a note: the outcome is no longer needed.
pub(super) const OVER: &[u8] = b"over";

/// A note from a host to a run. It names the job by the digest of its text, so a forged job matches none.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Note {
    /// The name of the host.
    pub(super) host: String,
    pub(super) said: NoteKind,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum NoteKind {
    /// The host has the job, and asks whether its outcome is still needed.
    Taken { job: Digest },
    /// The host is deciding the job.
    Working { job: Digest },
    /// The outcomes of some cases of the job.
    Outcomes { job: Digest, outcomes: Vec<Decided> },
    /// The host does not decide the job. `last` is true if the job is not delivered again.
    Declined { job: Digest, why: Reason, last: bool },
    /// A message in the run's queue was not a job.
    NoJob { why: Reason },
}

/// The JSON form of a note.
#[derive(Document, Serialize)]
#[document(expecting = "a note object")]
struct NoteFields<'a> {
    format: u64,
    host: String,
    said: NoteWord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    job: Option<Digest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    outcomes: Option<Cow<'a, [Decided]>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    why: Option<Reason>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last: Option<bool>,
}

#[derive(Clone, Copy, Document, Serialize)]
#[serde(rename_all = "snake_case")]
enum NoteWord {
    Taken,
    Working,
    Outcomes,
    Declined,
    NoJob,
}

/// The outcome of a case.
#[derive(Clone, Debug, PartialEq, Document, Serialize)]
#[document(expecting = "an object with a case and its outcome")]
pub(super) struct Decided {
    /// The place of the case in its job.
    pub(super) case: usize,
    /// None for one that is too large for a message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) outcome: Option<Outcome>,
}

/// An error, as it travels.
#[derive(Clone, Debug, PartialEq, Eq, Document, Serialize)]
#[document(expecting = "an error object")]
pub(super) struct Reason {
    code: String,
    message: String,
    path: String,
}

impl Note {
    pub(super) fn new(host: &str, said: NoteKind) -> Self {
        Self { host: host.to_owned(), said }
    }

    /// Parses a note.
    ///
    /// # Errors
    ///
    /// The errors of a document, with their paths.
    pub(super) fn read(text: &[u8]) -> Result<Self, Error> {
        let tape = json::read(text, json::Limits::ANSWER)?;
        check_format(tape.root())?;
        let NoteFields { host, said, job, outcomes, why, last, .. } = document::read(tape.root())?;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        if host.is_empty() || host.len() > LONGEST_HOST || !host.bytes().all(is_plain) {
            let message = "expected the name of a host: up to 64 letters, digits, `-`, `_` and `.`";
            return Err(Error::new(codes::INVALID_VALUE, message).at("/host"));
        }
        let said = match (said, job, outcomes, why, last) {
            (NoteWord::Taken, Some(job), None, None, None) => NoteKind::Taken { job },
            (NoteWord::Working, Some(job), None, None, None) => NoteKind::Working { job },
            (NoteWord::Outcomes, Some(job), Some(outcomes), None, None) => {
                NoteKind::Outcomes { job, outcomes: outcomes.into_owned() }
            }
            (NoteWord::Declined, Some(job), None, Some(why), Some(last)) => {
                NoteKind::Declined { job, why, last }
            }
            (NoteWord::NoJob, None, None, Some(why), None) => NoteKind::NoJob { why },
            _ => {
                let message = "the fields of the note do not match its kind";
                return Err(Error::new(codes::INVALID_VALUE, message).at("/said"));
            }
        };
        Ok(Self { host, said })
    }

    pub(super) fn to_json(&self) -> String {
        let (format, host) = (FORMAT, self.host.clone());
        let word = |said, job| NoteFields { format, host, said, job, outcomes: None, why: None, last: None };
        written(&match &self.said {
            NoteKind::Taken { job } => word(NoteWord::Taken, Some(*job)),
            NoteKind::Working { job } => word(NoteWord::Working, Some(*job)),
            NoteKind::Outcomes { job, outcomes } => {
                NoteFields { outcomes: Some(Cow::Borrowed(outcomes)), ..word(NoteWord::Outcomes, Some(*job)) }
            }
            NoteKind::Declined { job, why, last } => NoteFields {
                why: Some(why.clone()),
                last: Some(*last),
                ..word(NoteWord::Declined, Some(*job))
            },
            NoteKind::NoJob { why } => NoteFields { why: Some(why.clone()), ..word(NoteWord::NoJob, None) },
        })
    }
}

impl Reason {
    pub(super) fn from_error(error: &Error) -> Self {
        let clip = |text: &str| text.chars().take(LONGEST_REASON).collect();
        Self {
            code: error.code().as_str().to_owned(),
            message: clip(error.message()),
            path: clip(error.path()),
        }
    }

    /// The error. An unknown code becomes that of the cluster.
    pub(super) fn error(&self) -> Error {
        let code = codes::TABLE.find(&self.code).unwrap_or(codes::CLUSTER_FAULT);
        Error::new(code, self.message.clone()).at(self.path.clone())
    }
}

#[cfg(test)]
mod tests {
    use adjudicate_core::Operation;

    use super::*;

    #[test]
    fn notes_survive_a_round_trip() {
        let error = Error::new(codes::MODULE_UNSIGNED, "the module has no signature").at("/a/b");
        let outcome =
            Outcome::answered(Operation::Evaluate, "{\"\u{0}\": \"\u{2028}\u{10ffff}\\\"}".to_owned());
        for said in [
            NoteKind::Taken { job: Digest::sha256(b"0") },
            NoteKind::Working { job: Digest::sha256(b"1") },
            NoteKind::Outcomes {
                job: Digest::sha256(b"7"),
                outcomes: vec![
                    Decided { case: 0, outcome: Some(outcome) },
                    Decided { case: 1, outcome: None },
                ],
            },
            NoteKind::Declined { job: Digest::sha256(b"7"), why: Reason::from_error(&error), last: true },
            NoteKind::NoJob { why: Reason::from_error(&error) },
        ] {
            let note = Note::new("h-0123456789abcdef", said);
            assert_eq!(Note::read(note.to_json().as_bytes()).unwrap(), note);
        }
        assert_eq!(Reason::from_error(&error).error(), error);
    }

    #[test]
    fn invalid_notes_are_rejected() {
        let good = Note::new("h-1", NoteKind::Taken { job: Digest::sha256(b"") }).to_json();
        for (from, to) in [
            ("\"format\":1", "\"format\":2"),
            ("h-1", ""),
            ("h-1", "h 1"),
            ("h-1", "\\u001b[31m"),
            ("taken", "given"),
            ("taken", "outcomes"),
            ("taken", "no_job"),
            ("\"job\":", "\"last\":true,\"job\":"),
            ("sha256:", "sha1:"),
            ("\"job\":", "\"x\":0,\"job\":"),
            ("}", ""),
        ] {
            assert!(Note::read(good.replacen(from, to, 1).as_bytes()).is_err(), "{to}");
        }
    }
}
