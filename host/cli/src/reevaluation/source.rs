//! The source of cases: the lines of a file, or the records of a slot. Only the requested cases are in memory.

use std::{
    io::{self, Read},
    sync::mpsc,
    thread,
};

use adjudicate_core::{Error, Operation};
use adjudicate_host::{
    RecordRange, Store,
    reevaluation::{Case, Report, Step, read_line},
};

use super::progress::Progress;
use crate::{
    codes,
    failure::Failure,
    input::Source,
    lines::{Line, Lines},
    records::LONGEST_LINE,
};

/// The number of records that are read ahead.
const AHEAD: usize = 64;

/// The lines of a file that are not blank, with their numbers from 1.
pub(super) fn lines(
    input: &Source,
    operation: Operation,
    progress: Progress,
) -> Result<impl Iterator<Item = Result<Step, Error>>, Failure> {
    let mut lines = Lines::new(Counted { stream: input.open()?, progress }, LONGEST_LINE);
    let source = input.clone();
    let mut number = 0;
    Ok(std::iter::from_fn(move || {
        loop {
            number += 1;
            return match lines.next() {
                Err(error) => Some(Err(source.unreadable(&error))),
                Ok(Line::End) => None,
                Ok(Line::Whole(line)) if line.trim_ascii().is_empty() => continue,
                Ok(Line::Whole(line)) => Some(Ok(match read_line(number, &line, operation) {
                    Ok(line) => Step::Line(line),
                    Err(error) => Step::Bad(number, error),
                })),
                Ok(Line::TooLong) => {
                    let message = format!("the line is over the limit of {LONGEST_LINE} bytes");
                    Some(Ok(Step::Bad(number, Error::new(codes::LIMIT_EXCEEDED, message))))
                }
            };
        }
    }))
}

/// Hands the records of a slot over, which are read on a thread of their own.
pub(super) fn records(
    store: &Store,
    slot: &str,
    range: RecordRange,
    run: impl FnOnce(mpsc::IntoIter<Result<Step, Error>>) -> Result<Report, Error>,
) -> Result<Report, Error> {
    /// Why reading ended early.
    enum Ended {
        Failed(Error),
        /// Nobody wants more.
        Unwanted,
    }
    impl From<Error> for Ended {
        fn from(error: Error) -> Self {
            Self::Failed(error)
        }
    }
    let (read, taken) = mpsc::sync_channel(AHEAD);
    thread::scope(|scope| {
        scope.spawn(move || {
            let ended = store.read_records(slot, range, |record| {
                let number = record.sequence.unsigned_abs();
                let step = match Case::of_record(record) {
                    Ok(line) => Step::Line(line),
                    Err(error) => Step::Bad(number, error),
                };
                read.send(Ok(step)).map_err(|_| Ended::Unwanted)
            });
            if let Err(Ended::Failed(error)) = ended {
                // With nobody there, there is nobody to tell.
                let _ = read.send(Err(error));
            }
        });
        run(taken.into_iter())
    })
}

/// Counts the bytes that are read.
struct Counted<R> {
    stream: R,
    progress: Progress,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.stream.read(buffer)?;
        self.progress.read(count);
        Ok(count)
    }
}
