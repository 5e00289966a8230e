//! A turn, as far as a transcript records it.

use std::collections::BTreeMap;

use adjudicate_core::{module::Digest, owned::DiffFile};

/// A turn of a transcript.
#[derive(Clone, Debug, Default)]
pub struct TranscriptTurn {
    /// The number of the line with which it begins, from 1.
    pub line: u64,
    /// The id of the session, if the transcript has one.
    pub session: Option<String>,
    /// The id of the turn, if the transcript has one.
    pub id: Option<String>,
    /// The user's prompt.
    pub prompt: Option<String>,
    /// The calls that the hook would have refused, in order.
    pub refused: Vec<StopCause>,
    /// The evidence that the transcript does not have, by its name:
    ///
    /// - `commands`: commands that are no validators
    /// - `exit_codes`: runs of validators without one
    /// - `subagents`: calls that start one
    /// - `calls`: calls that are damaged, or have no end
    /// - `tools`: calls of tools that may change anything
    /// - `lines`: lines that cannot be read
    pub missing: BTreeMap<&'static str, u64>,
    pub(super) stop: TurnStop,
    /// False until the agent works on the prompt.
    pub(super) has_begun: bool,
    /// The files that it changed, by path from the root, and the number of the last call that did so.
    pub(super) files: BTreeMap<String, DiffFile>,
    pub(super) last_edit: u64,
    /// The latest run of each validator, by id.
    pub(super) runs: BTreeMap<String, PastRun>,
    /// The numbers of the calls, by id.
    pub(super) calls: BTreeMap<String, u64>,
}

/// A cause for which the agent would have been stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopCause {
    /// The rule; `deny` or `ask` for a call that the hook would have refused.
    pub rule: String,
    /// The path, the id, the command or the tool at fault.
    pub item: String,
    /// The number of the line with the call, or of the line with which the turn begins.
    pub line: u64,
}

/// A run of a validator.
#[derive(Clone, Copy, Debug)]
pub(super) struct PastRun {
    /// The number of the call.
    pub(super) call: u64,
    /// The exit code, if the transcript has it.
    pub(super) exit_code: Option<i64>,
}

/// The way in which a turn ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TurnStop {
    /// The agent ended it.
    #[default]
    Ended,
    /// The user or an error ended it, so no hook ran.
    Aborted,
    /// The transcript ends, or begins, within it.
    Cut,
}

impl TranscriptTurn {
    /// Returns a digest that only a repetition of this turn has, if the turn has an id. A session that was resumed or forked repeats
    /// turns. The ids of some versions are counters, so other sessions have other turns with the same id.
    #[must_use]
    pub fn repetition(&self) -> Option<Digest> {
        let Self { id: Some(id), prompt, calls, files, runs, last_edit, .. } = self else { return None };
        Some(Digest::sha256(format!("{:?}", (id, prompt, calls, files, runs, last_edit)).as_bytes()))
    }

    /// Counts evidence that the transcript does not have.
    pub(super) fn miss(&mut self, kind: &'static str, count: u64) {
        if count > 0 {
            *self.missing.entry(kind).or_default() += count;
        }
    }
}
