//! The source of cases: the lines of a file, or the records of a slot. Only the requested cases are in memory.

use std::{sync::mpsc, thread};

use adjudicate_core::{Error, Operation};
use adjudicate_host::{
    RecordRange, Store,
    reevaluation::{ReevaluationCase, ReevaluationReport, SourceItem, read_line},
};

use crate::{
    codes,
    environment::Environment,
    failure::Failure,
    input::Source,
    lines::{InputLine, Lines},
    progress::Progress,
    records::LONGEST_LINE,
};

/// The number of records that are read ahead.
const AHEAD: usize = 64;

/// Returns the steps of a file: its lines that are not blank, numbered from 1.
pub(super) fn lines(
    input: &Source,
    operation: Operation,
    progress: &Progress,
    env: &Environment,
) -> Result<impl Iterator<Item = Result<SourceItem, Error>> + use<>, Failure> {
    let mut lines = Lines::new(progress.counted(input.open(env)?), LONGEST_LINE);
    let source = input.clone();
    let mut number = 0;
    Ok(std::iter::from_fn(move || {
        loop {
            number += 1;
            return match lines.next() {
                Err(error) => Some(Err(source.unreadable(error))),
                Ok(InputLine::End) => None,
                Ok(InputLine::Whole(line)) if line.trim_ascii().is_empty() => continue,
                Ok(InputLine::Whole(line)) => Some(Ok(match read_line(number, &line, operation) {
                    Ok(line) => SourceItem::Line(line),
                    Err(error) => SourceItem::Bad(number, error),
                })),
                Ok(InputLine::TooLong) => {
                    let message = format!("the line is over the limit of {LONGEST_LINE} bytes");
                    Some(Ok(SourceItem::Bad(number, Error::new(codes::LIMIT_EXCEEDED, message))))
                }
            };
        }
    }))
}

/// Calls `run` with the records of a slot, which another thread reads.
pub(super) fn records(
    store: &Store,
    slot: &str,
    range: RecordRange,
    run: impl FnOnce(mpsc::IntoIter<Result<SourceItem, Error>>) -> Result<ReevaluationReport, Error>,
) -> Result<ReevaluationReport, Error> {
    /// The reason to stop reading early.
    enum ReadEnd {
        Failed(Error),
        /// The run ended and dropped the receiver.
        Unwanted,
    }
    impl From<Error> for ReadEnd {
        fn from(error: Error) -> Self {
            Self::Failed(error)
        }
    }
    let (read, taken) = mpsc::sync_channel(AHEAD);
    thread::scope(|scope| {
        scope.spawn(move || {
            let ended = store.read_records(slot, range, |record| {
                let number = record.sequence.unsigned_abs();
                let step = match ReevaluationCase::of_record(record) {
                    Ok(line) => SourceItem::Line(line),
                    Err(error) => SourceItem::Bad(number, error),
                };
                read.send(Ok(step)).map_err(|_| ReadEnd::Unwanted)
            });
            if let Err(ReadEnd::Failed(error)) = ended {
                // If the run has ended, the error is dropped.
                let _ = read.send(Err(error));
            }
        });
        run(taken.into_iter())
    })
}
