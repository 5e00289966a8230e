//! One call that is decided again: from a record, or from a line of a file.

use adjudicate_core::{
    Error, Operation,
    json::{self, Kind, Limits, Node},
};
use adjudicate_sandbox::Digest;
use serde::Serialize;

use super::outcome::Outcome;
use crate::{codes, record::Record};

/// A call, and what was answered to it if that is known.
#[derive(Clone, Debug)]
pub struct Case {
    /// The number of its record or its line.
    pub number: u64,
    /// What is asked.
    pub operation: Operation,
    /// The input, JSON text as it was given.
    pub input: String,
    /// What was answered, if it comes from a record.
    pub recorded: Option<Recorded>,
}

/// What a record says of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The answer, or the error.
    pub outcome: Outcome,
    /// Who answered, as the record has it.
    pub by: String,
    /// The entry of the slot's history that was in force.
    pub entry: i64,
    /// The modules that answered, or failed to.
    pub modules: Vec<Digest>,
    /// What failed, where somebody else answered in its place: the error's JSON.
    pub fault: Option<String>,
}

/// Why a call cannot be decided again, or not compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Obstacle {
    /// The slot keeps no inputs, or this one could not be kept.
    InputNotKept,
    /// Something was taken out of the input.
    InputRedacted,
    /// Something was taken out of the answer, so that there is nothing to compare with.
    AnswerRedacted,
    /// Under the recorded version: nobody could be asked then, for the modules in force could not be loaded or were not trusted.
    NotLoaded,
    /// Under the recorded version: the error was the host's and not the module's, for instance that it had no room.
    HostFailed,
    /// Under the recorded version: its modules are not in the store, or cannot be loaded.
    ModuleMissing,
}

impl Obstacle {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::InputNotKept,
        Self::InputRedacted,
        Self::AnswerRedacted,
        Self::NotLoaded,
        Self::HostFailed,
        Self::ModuleMissing,
    ];

    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InputNotKept => "input_not_kept",
            Self::InputRedacted => "input_redacted",
            Self::AnswerRedacted => "answer_redacted",
            Self::NotLoaded => "not_loaded",
            Self::HostFailed => "host_failed",
            Self::ModuleMissing => "module_missing",
        }
    }

    /// What it means, for people.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::InputNotKept => "the input was not kept",
            Self::InputRedacted => "something was taken out of the input",
            Self::AnswerRedacted => "something was taken out of the answer",
            Self::NotLoaded => "the modules in force could not be loaded then",
            Self::HostFailed => "the error was the host's, not the module's",
            Self::ModuleMissing => "the module is not in the store, or cannot be loaded",
        }
    }
}

/// What a line or a record comes to.
#[derive(Clone, Debug)]
pub enum Line {
    /// A call that can be decided again.
    Case(Case),
    /// One that cannot: its number, and why.
    Obstacle(u64, Obstacle),
}

impl Case {
    /// The call that a record is of.
    ///
    /// # Errors
    ///
    /// [`codes::INVALID_VALUE`] for a record with neither answer nor error, or of an operation that there is not.
    pub fn of_record(record: Record) -> Result<Line, Error> {
        let number = record.sequence.unsigned_abs();
        let invalid = |message: &str| Error::new(codes::INVALID_VALUE, format!("record {number} {message}"));
        let operation = Operation::from_name(&record.operation)
            .ok_or_else(|| invalid("is of an operation that this host does not know"))?;
        let outcome = match (record.answer, record.error) {
            (Some(answer), None) => Some(Outcome::answered(operation, answer)),
            (None, Some(error)) => Some(Outcome::failed(error)),
            // An answer that could not be redacted was not kept.
            (None, None) => None,
            (Some(_), Some(_)) => return Err(invalid("has both an answer and an error")),
        };
        Ok(match (record.input, record.input_redacted, outcome) {
            (None, ..) => Line::Obstacle(number, Obstacle::InputNotKept),
            (Some(_), 1.., _) => Line::Obstacle(number, Obstacle::InputRedacted),
            (Some(_), 0, None) => Line::Obstacle(number, Obstacle::AnswerRedacted),
            (Some(_), 0, Some(_)) if record.answer_redacted > 0 => {
                Line::Obstacle(number, Obstacle::AnswerRedacted)
            }
            (Some(input), 0, Some(outcome)) => {
                let Record { by, entry, modules, fault, .. } = record;
                let recorded = Recorded { outcome, by, entry, modules, fault };
                Line::Case(Self { number, operation, input, recorded: Some(recorded) })
            }
        })
    }

    /// The run that the call is about, if it says so.
    #[must_use]
    pub fn run_id(&self) -> Option<String> {
        let tape = self.operation.read(self.input.as_bytes()).ok()?;
        let root = tape.root();
        let id = root.member("envelope").unwrap_or(root).member("run_id")?;
        id.as_str().map(str::to_owned)
    }
}

/// Reads a line of a file: a record as it was exported, or the input of a call of this operation.
///
/// # Errors
///
/// What is no JSON; a record that is not what its hash says ([`codes::BROKEN_CHAIN`]).
pub fn read_line(number: u64, line: &[u8], operation: Operation) -> Result<Line, Error> {
    let tape = json::read(line, Limits { bytes: usize::MAX, ..Limits::DOCUMENT })?;
    if !is_record(tape.root()) {
        let input = tape.text().to_owned();
        return Ok(Line::Case(Case { number, operation, input, recorded: None }));
    }
    let record = Record::parse(line)?;
    if record.hash != Some(Digest::of(record.canonical().as_bytes())) {
        let message =
            format!("record {} was changed: its hash is not that of what it holds", record.sequence);
        return Err(Error::new(codes::BROKEN_CHAIN, message));
    }
    Case::of_record(record)
}

/// Whether an object is a record; no call has members of these names.
fn is_record(root: Node<'_>) -> bool {
    let has = |name: &str, kind| root.member(name).is_some_and(|member| member.kind() == kind);
    has("input_hash", Kind::String) && has("sequence", Kind::Integer) && has("slot", Kind::String)
}
