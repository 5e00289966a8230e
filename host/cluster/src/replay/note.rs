//! What a host tells a run of its jobs.

use std::borrow::Cow;

use adjudicate_core::{Error, json};
use adjudicate_host::{codes, reevaluation::Outcome};
use adjudicate_sandbox::Digest;
use serde::{Deserialize, Serialize};

use super::job::{FORMAT, check_format, written};

/// How much of a reason travels, in characters.
const LONGEST_REASON: usize = 1000;
/// How long the name of a host may be, in bytes.
const LONGEST_HOST: usize = 64;

/// The answer to a note: go on.
pub(super) const CONFIRMED: &[u8] = b"confirmed";
/// The answer to a note: nobody waits for that any more.
pub(super) const OVER: &[u8] = b"over";

/// What a host tells a run. A job goes by the digest of its text: nobody can put another one in its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Note {
    /// Which host.
    pub(super) host: String,
    pub(super) said: Said,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Said {
    /// It has the job, and asks whether anybody still waits for it.
    Taken { job: Digest },
    /// It is at it.
    Working { job: Digest },
    /// What some of the job's cases come to.
    Outcomes { job: Digest, outcomes: Vec<Decided> },
    /// It does not decide the job; `last` if nobody else is going to be asked.
    Declined { job: Digest, why: Reason, last: bool },
    /// What was in the queue for this run is no job.
    NoJob { why: Reason },
}

/// A note as it travels.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Members<'a> {
    format: u64,
    host: String,
    said: Word,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    job: Option<Digest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    outcomes: Option<Cow<'a, [Decided]>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    why: Option<Reason>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last: Option<bool>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    Taken,
    Working,
    Outcomes,
    Declined,
    NoJob,
}

/// What a case comes to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Decided {
    /// The place of the case in its job.
    pub(super) case: usize,
    /// None for one that is too large for a message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) outcome: Option<Outcome>,
}

/// An error, as it travels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reason {
    code: String,
    message: String,
    path: String,
}

impl Note {
    pub(super) fn new(host: &str, said: Said) -> Self {
        Self { host: host.to_owned(), said }
    }

    /// Reads a note.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with it, and where.
    pub(super) fn read(text: &[u8]) -> Result<Self, Error> {
        let tape = json::read(text, json::Limits::ANSWER)?;
        check_format(tape.root())?;
        let Members { host, said, job, outcomes, why, last, .. } = tape.decode()?;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        if host.is_empty() || host.len() > LONGEST_HOST || !host.bytes().all(is_plain) {
            let message = "expected the name of a host: up to 64 letters, digits, `-`, `_` and `.`";
            return Err(Error::new(codes::INVALID_VALUE, message).at("/host"));
        }
        let said = match (said, job, outcomes, why, last) {
            (Word::Taken, Some(job), None, None, None) => Said::Taken { job },
            (Word::Working, Some(job), None, None, None) => Said::Working { job },
            (Word::Outcomes, Some(job), Some(outcomes), None, None) => {
                Said::Outcomes { job, outcomes: outcomes.into_owned() }
            }
            (Word::Declined, Some(job), None, Some(why), Some(last)) => Said::Declined { job, why, last },
            (Word::NoJob, None, None, Some(why), None) => Said::NoJob { why },
            _ => {
                let message = "the members of the note are not those of what it says";
                return Err(Error::new(codes::INVALID_VALUE, message).at("/said"));
            }
        };
        Ok(Self { host, said })
    }

    pub(super) fn to_json(&self) -> String {
        let (format, host) = (FORMAT, self.host.clone());
        let word = |said, job| Members { format, host, said, job, outcomes: None, why: None, last: None };
        written(&match &self.said {
            Said::Taken { job } => word(Word::Taken, Some(*job)),
            Said::Working { job } => word(Word::Working, Some(*job)),
            Said::Outcomes { job, outcomes } => {
                Members { outcomes: Some(Cow::Borrowed(outcomes)), ..word(Word::Outcomes, Some(*job)) }
            }
            Said::Declined { job, why, last } => {
                Members { why: Some(why.clone()), last: Some(*last), ..word(Word::Declined, Some(*job)) }
            }
            Said::NoJob { why } => Members { why: Some(why.clone()), ..word(Word::NoJob, None) },
        })
    }
}

impl Reason {
    pub(super) fn of(error: &Error) -> Self {
        let clip = |text: &str| text.chars().take(LONGEST_REASON).collect();
        Self {
            code: error.code().as_str().to_owned(),
            message: clip(error.message()),
            path: clip(error.path()),
        }
    }

    /// The error; one with a code that this host does not know is about the cluster.
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
    fn notes_are_read_as_they_were_written() {
        let error = Error::new(codes::MODULE_UNSIGNED, "the module has no signature").at("/a/b");
        let outcome =
            Outcome::answered(Operation::Evaluate, "{\"\u{0}\": \"\u{2028}\u{10ffff}\\\"}".to_owned());
        for said in [
            Said::Taken { job: Digest::of(b"0") },
            Said::Working { job: Digest::of(b"1") },
            Said::Outcomes {
                job: Digest::of(b"7"),
                outcomes: vec![
                    Decided { case: 0, outcome: Some(outcome) },
                    Decided { case: 1, outcome: None },
                ],
            },
            Said::Declined { job: Digest::of(b"7"), why: Reason::of(&error), last: true },
            Said::NoJob { why: Reason::of(&error) },
        ] {
            let note = Note::new("h-0123456789abcdef", said);
            assert_eq!(Note::read(note.to_json().as_bytes()).unwrap(), note);
        }
        assert_eq!(Reason::of(&error).error(), error);
    }

    #[test]
    fn what_is_no_note_is_refused() {
        let good = Note::new("h-1", Said::Taken { job: Digest::of(b"") }).to_json();
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
