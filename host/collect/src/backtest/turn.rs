//! A turn, as far as a transcript records it.

use std::collections::BTreeMap;

use adjudicate_core::owned::DiffFile;

use crate::hooks::CallVerdict;

/// A turn of a transcript.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    /// The number of the line with which it begins, from 1.
    pub line: u64,
    /// The id of the session, if the transcript has one.
    pub session: Option<String>,
    /// The user's prompt.
    pub prompt: Option<String>,
    /// The way in which it ended.
    pub stop: TurnStop,
    /// The calls that must not have run, in order.
    pub refused: Vec<RefusedCall>,
    /// The evidence that the transcript does not have.
    pub unknown: Unknown,
    /// The files that it changed, by path from the root.
    pub(super) files: BTreeMap<String, DiffFile>,
    /// The number of calls that changed files.
    pub(super) edits: u64,
    /// The latest run of each validator, by id.
    pub(super) runs: BTreeMap<String, ValidatorEnd>,
}

/// The end of a validator's run.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValidatorEnd {
    /// The exit code, if the transcript has it.
    pub(super) exit_code: Option<i64>,
    /// The number of edits before the run.
    pub(super) edits: u64,
}

/// The way in which a turn ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TurnStop {
    /// The agent ended it.
    Ended,
    /// The user or an error ended it, so no hook ran.
    Aborted,
    /// The transcript ends, or begins, within it.
    #[default]
    Cut,
}

/// A call that the hook would not have let run without a human.
#[derive(Clone, Debug)]
pub struct RefusedCall {
    /// The number of the line with the call.
    pub line: u64,
    /// The name of the tool.
    pub tool: String,
    /// The paths of the files that it changes, as the agent wrote them.
    pub files: Vec<String>,
    /// The command, if the tool runs one.
    pub command: Option<String>,
    /// The verdict, never [`CallVerdict::Allow`].
    pub verdict: CallVerdict,
}

/// Counts of evidence that a transcript does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unknown {
    /// Commands that are no validators: the files that they changed.
    pub commands: u64,
    /// Runs of validators without a known exit code.
    pub exit_codes: u64,
    /// Subagents: their calls.
    pub subagents: u64,
    /// Calls and results that are damaged, and calls that have no known end.
    pub calls: u64,
    /// Lines that cannot be read.
    pub lines: u64,
}

impl Unknown {
    /// Returns the counts by name.
    #[must_use]
    pub fn counts(self) -> [(&'static str, u64); 5] {
        let Self { commands, exit_codes, subagents, calls, lines } = self;
        [
            ("commands", commands),
            ("exit_codes", exit_codes),
            ("subagents", subagents),
            ("calls", calls),
            ("lines", lines),
        ]
    }

    /// Returns true if something is unknown.
    #[must_use]
    pub fn is_any(self) -> bool {
        self != Self::default()
    }
}
