//! The parts of a goal.

use adjudicate_core::Error;
use adjudicate_evidence::codes;

/// The parts of a goal, as its sentences state them.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    /// The names of validators that must exit with 0.
    pub(super) validators: Vec<String>,
    /// Commands that must exit with 0: their names and lines.
    pub(super) commands: Vec<(String, String)>,
    /// Patterns of the only files that may change.
    pub(super) allowed: Vec<String>,
    /// Patterns of files that must not change.
    pub(super) forbidden: Vec<String>,
    /// Patterns of files that change only with an approval.
    pub(super) protected: Vec<String>,
    /// Patterns of artifacts that must exist.
    pub(super) artifacts: Vec<String>,
    pub(super) keeps_tests: bool,
    pub(super) accepts_known_failures: bool,
    pub(super) is_reviewed: bool,
    pub(super) rounds: Option<u64>,
    pub(super) minutes: Option<u64>,
}

pub(super) fn invalid(message: String) -> Error {
    Error::new(codes::INVALID_VALUE, message)
}
