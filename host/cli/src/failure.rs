//! Why the command has no answer, and how it says so.

use std::{io, process::ExitCode};

use adjudicate_core::{Error, ErrorCode};
use adjudicate_sandbox::{CallError, io_reason};

use crate::{exit::Exit, output};

/// What ends the command without an answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An error to report: `{"error": ...}`, and the status to end with.
    Error { json: String, exit: Exit },
    /// Nobody reads the output any more. There is nobody to tell.
    Closed,
    /// Help or the version was asked for, and printed.
    Told,
}

impl Failure {
    /// Prints the error on standard error, and says what to end with.
    pub(crate) fn report(self) -> ExitCode {
        match self {
            Self::Error { json, exit } => {
                // With standard error gone, the exit status is all that is left to say it.
                output::error_line(&json);
                exit.into()
            }
            Self::Closed => Exit::Closed.into(),
            Self::Told => Exit::Answered.into(),
        }
    }

    /// What became of writing the answer.
    pub(crate) fn of_writing(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => {
                let message = format!("the answer could not be written: {}", io_reason(error));
                Error::new(ErrorCode::UnwritableOutput, message).into()
            }
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error { exit: Exit::of_error(error.code().subject()), json: error.to_json() }
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        // A module may have laid its error out over several lines; an error is one line.
        let json = crate::layout::compact(&error.to_json());
        Self::Error { exit: Exit::of_error(error.subject()), json }
    }
}
