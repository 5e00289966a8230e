//! The failures of the command.

use std::io;

use adjudicate_core::Error;
use adjudicate_trust::{CallError, io_reason};

use crate::{codes, exit::Exit, layout};

/// The reason for which the command ends without an answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An error to report.
    Error(CallError),
    /// The reader of the output closed it, so there is nothing to report.
    Closed,
    /// Help or the version was printed.
    Printed,
}

impl Failure {
    /// Returns the failure for an error while writing the answer.
    pub(crate) fn of_writing(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => {
                let message = format!("the answer could not be written: {}", io_reason(&error));
                Error::new(codes::UNWRITABLE_OUTPUT, message).with_source(error).into()
            }
        }
    }

    /// Returns the exit status.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Error(error) => Exit::of_error(error.subject()),
            Self::Closed => Exit::Closed,
            Self::Printed => Exit::Answered,
        }
    }

    /// Returns `{"error": ...}` on one line, if there is an error to report. A module may write its error on several lines.
    pub(crate) fn line(&self) -> Option<String> {
        match self {
            Self::Error(error) => Some(layout::compact(&error.to_json())),
            Self::Closed | Self::Printed => None,
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
