//! A call to decide again, from a record or a line of a file.

use adjudicate_core::{
    Error, Operation,
    json::{self, Kind, Node, ReadLimits},
};
use adjudicate_sandbox::Digest;

use super::outcome::{LabeledOutcome, Obstacle};
use crate::{
    codes,
    record::{DecidedBy, Record, run_id},
};

/// A call, with its recorded answer if there is one.
#[derive(Clone, Debug)]
pub struct ReevaluationCase {
    /// The number of the record or line.
    pub number: u64,
    /// The operation.
    pub operation: Operation,
    /// The input: the original JSON text.
    pub input: String,
    /// The recorded outcome, if the case comes from a record.
    pub recorded: Option<Recorded>,
}

/// The outcome of a call, from its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The answer, or the error.
    pub outcome: LabeledOutcome,
    /// The part of the slot that answered, as in the record.
    pub by: DecidedBy,
    /// The active entry of the slot's history.
    pub entry: i64,
    /// The modules that answered or failed.
    pub modules: Vec<Digest>,
    /// The error of the part that failed, as JSON, if another part answered in its place.
    pub fault: Option<String>,
}

/// The result of reading a line or record.
#[derive(Clone, Debug)]
pub enum Line {
    /// A call that can be decided again.
    Case(ReevaluationCase),
    /// A call that cannot be decided again: its number and the reason.
    Obstacle(u64, Obstacle),
}

impl ReevaluationCase {
    /// Returns the call of a record.
    ///
    /// # Errors
    ///
    /// [`codes::INVALID_VALUE`] for a record with both an answer and an error.
    pub fn of_record(record: Record) -> Result<Line, Error> {
        let number = record.sequence.unsigned_abs();
        let operation = record.operation;
        let outcome = match (record.answer, record.error) {
            (Some(answer), None) => Some(LabeledOutcome::new(operation, Ok(answer))),
            (None, Some(error)) => Some(LabeledOutcome::new(operation, Err(error))),
            // An answer that cannot be redacted is not kept.
            (None, None) => None,
            (Some(_), Some(_)) => {
                let message = format!("record {number} has both an answer and an error");
                return Err(Error::new(codes::INVALID_VALUE, message));
            }
        };
        Ok(match (record.input, outcome) {
            (None, _) => Line::Obstacle(number, Obstacle::InputNotKept),
            (Some(_), _) if record.input_redacted > 0 => Line::Obstacle(number, Obstacle::InputRedacted),
            (Some(_), None) => Line::Obstacle(number, Obstacle::AnswerRedacted),
            (Some(_), _) if record.answer_redacted > 0 => Line::Obstacle(number, Obstacle::AnswerRedacted),
            (Some(input), Some(outcome)) => {
                let Record { by, entry, modules, fault, .. } = record;
                let recorded = Recorded { outcome, by, entry, modules, fault };
                Line::Case(Self { number, operation, input, recorded: Some(recorded) })
            }
        })
    }

    /// The run of the call, if the input names one.
    #[must_use]
    pub fn run_id(&self) -> Option<String> {
        let tape = self.operation.read(self.input.as_bytes()).ok()?;
        run_id(&tape).map(str::to_owned)
    }
}

/// Reads a line of a file: an exported record, or the input of a call of this operation.
///
/// # Errors
///
/// An error for text that is not JSON; [`codes::BROKEN_CHAIN`] for a record that does not match its hash.
pub fn read_line(number: u64, line: &[u8], operation: Operation) -> Result<Line, Error> {
    let tape = json::read(line, ReadLimits { bytes: usize::MAX, ..ReadLimits::DOCUMENT })?;
    if !is_record(tape.root()) {
        let input = tape.text().to_owned();
        return Ok(Line::Case(ReevaluationCase { number, operation, input, recorded: None }));
    }
    let record = Record::parse(line)?;
    if record.hash != Some(Digest::sha256(record.canonical().as_bytes())) {
        let message = format!("record {} was changed: its hash does not match its content", record.sequence);
        return Err(Error::new(codes::BROKEN_CHAIN, message));
    }
    ReevaluationCase::of_record(record)
}

/// True if an object is a record. No call has fields of these names and types.
fn is_record(root: Node<'_>) -> bool {
    let has = |name: &str, kind| root.member(name).is_some_and(|member| member.kind() == kind);
    has("input_hash", Kind::String) && has("sequence", Kind::Integer) && has("slot", Kind::String)
}
