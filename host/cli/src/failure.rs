//! Why the command has no answer.

use std::io;

use adjudicate_core::Error;
use adjudicate_sandbox::{CallError, io_reason};

use crate::{codes, exit::Exit, layout};

/// What ends the command without an answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An error to report.
    Error(CallError),
    /// Nobody reads the output any more. There is nobody to tell.
    Closed,
    /// Help or the version was asked for, and printed.
    Told,
}

impl Failure {
    /// What became of writing the answer.
    pub(crate) fn of_writing(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => {
                let message = format!("the answer could not be written: {}", io_reason(error));
                Error::new(codes::UNWRITABLE_OUTPUT, message).into()
            }
        }
    }

    /// The status to end with.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Error(error) => Exit::of_error(error.subject()),
            Self::Closed => Exit::Closed,
            Self::Told => Exit::Answered,
        }
    }

    /// `{"error": ...}` on one line, if there is an error to report. A module may have laid its error out over several.
    pub(crate) fn line(&self) -> Option<String> {
        match self {
            Self::Error(error) => Some(layout::compact(&error.to_json())),
            Self::Closed | Self::Told => None,
        }
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        Self::Error(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        CallError::from(error).into()
    }
}
