//! The exit statuses, which are part of the interface.

use std::process::ExitCode;

use adjudicate_core::{codes::Subject, evaluate::Status};

/// The exit status of the process, in the order of severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// There is an answer.
    Answered,
    /// With `--exit-status`: the status of the decision.
    Decided(Status),
    /// Tests, a replay or a measurement failed.
    Failed,
    /// The input or the policy is invalid, or cannot be read.
    Input,
    /// A module failed or was refused, the slot is empty, or the store or the cluster cannot be used.
    Module,
    /// The command line is wrong, or names an unknown slot, module or version.
    Usage,
    /// The answer could not be written.
    Output,
    /// The reader of the answer closed it: the status of a process that SIGPIPE ends.
    Closed,
}

impl Exit {
    /// Returns the exit status for an error with this subject.
    pub(crate) const fn of_error(subject: Subject) -> Self {
        match subject {
            Subject::Input => Self::Input,
            Subject::Operation | Subject::Module => Self::Module,
            Subject::Usage => Self::Usage,
            Subject::Output => Self::Output,
        }
    }

    /// Returns the more severe status of two lines: an error is more severe than any decision, and decisions have the order of
    /// their statuses.
    pub(crate) fn or_more_severe(self, other: Self) -> Self {
        self.max(other)
    }

    pub(crate) const fn number(self) -> u8 {
        match self {
            Self::Answered | Self::Decided(Status::Success) => 0,
            Self::Failed => 1,
            Self::Input => 2,
            Self::Module => 3,
            Self::Usage => 64,
            Self::Output => 74,
            Self::Closed => 141,
            Self::Decided(Status::Partial) => 10,
            Self::Decided(Status::Blocked) => 11,
            Self::Decided(Status::Unsafe) => 12,
            Self::Decided(Status::NeedsHuman) => 13,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes;

    #[test]
    fn every_code_has_its_status() {
        for code in codes::all() {
            let expected = match code.as_str() {
                "wrong_usage" | "unknown_slot" | "unknown_module" | "unknown_version" | "slot_changed"
                | "in_use" => 64,
                "unauthorized"
                | "forbidden"
                | "not_found"
                | "method_not_allowed"
                | "unsupported_media_type"
                | "request_timeout" => 64,
                "unwritable_output" => 74,
                "unsupported_operation" | "engine_load" | "slot_empty" | "store_fault" | "cluster_fault" => 3,
                text if text.starts_with("module_") || text.starts_with("host_") => 3,
                _ => 2,
            };
            assert_eq!(Exit::of_error(code.subject()).number(), expected, "{code}");
        }
    }
}
