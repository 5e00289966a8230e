//! Turns of the past: what a policy would have done about the work that transcripts of coding agents record.
//!
//! ```text
//! line -> claude_code or codex -> [Entry] -> Session -> TranscriptTurn -> Judge -> verdict and causes
//! ```
//!
//! Only typed entries count: tool calls, their results and their exit codes. [`TranscriptTurn::missing`] counts the
//! evidence that a transcript does not have.

mod claude_code;
mod codex;
mod command;
mod judge;
mod session;

use std::collections::BTreeMap;

use adjudicate_core::{
    json::{Kind, Node, OwnedValue},
    module::Digest,
    owned::DiffFile,
};

pub use judge::{Judge, PastVerdict};
pub use session::Session;

/// An entry that counts. Readers leave out all others.
#[derive(Debug, PartialEq, Eq)]
enum Entry {
    /// The id of the session.
    Session(String),
    /// The transcript is that of a subagent, whose work is a part of another turn.
    Subagent,
    /// Each call that code makes is an entry, too.
    Itemized,
    /// The folder in which the agent works from now on.
    Folder(String),
    /// The agent begins a turn, and marks its end.
    Start { id: Option<String> },
    /// The user's prompt.
    Prompt { id: Option<String>, text: Option<String> },
    /// The agent works on the prompt.
    Work,
    /// The agent calls a tool.
    Call { id: String, tool: String, input: OwnedValue },
    /// The agent runs code that calls tools.
    Code,
    /// The agent waits for a process.
    Wait { id: String, process: String },
    /// The call ended.
    Result { id: String, end: CallEnd },
    /// The turn ended.
    End,
    /// The user or an error ended the turn.
    Aborted,
    /// A call or a result without the fields that it must have.
    Damaged,
}

/// The end of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
enum CallEnd {
    /// The call did its work. A command exited with 0.
    Done,
    /// A command exited with this code.
    Exited(i64),
    /// The call failed, so an edit changed nothing.
    Failed,
    /// The command runs on, as this process.
    Running(String),
    /// The transcript does not have it.
    Unknown,
}

impl CallEnd {
    const fn exited(code: i64) -> Self {
        if code == 0 { Self::Done } else { Self::Exited(code) }
    }
}

/// Returns the text of a field.
fn text<'a>(node: Node<'a>, name: &str) -> Option<&'a str> {
    node.member(name)?.as_str()
}

/// Returns the text of a field that must not be empty.
fn id(node: Node<'_>, name: &str) -> Option<String> {
    text(node, name).filter(|text| !text.is_empty()).map(ToOwned::to_owned)
}

/// Returns true if a field is `true`.
fn is_set(node: Node<'_>, name: &str) -> bool {
    node.member(name).is_some_and(|flag| flag.kind() == Kind::Bool(true))
}

/// Returns a text, or the first text in a list of blocks.
fn content(node: Node<'_>) -> Option<&str> {
    node.as_str().or_else(|| node.items().find_map(|block| text(block, "text")))
}

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
    stop: TurnStop,
    /// False until the agent works on the prompt.
    has_begun: bool,
    /// The files that it changed, by path from the root, and the number of the last call that did so.
    files: BTreeMap<String, DiffFile>,
    last_edit: u64,
    /// The latest run of each validator, by id.
    runs: BTreeMap<String, PastRun>,
    /// The numbers of the calls, by id.
    calls: BTreeMap<String, u64>,
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
struct PastRun {
    /// The number of the call.
    call: u64,
    /// The exit code, if the transcript has it.
    exit_code: Option<i64>,
}

/// The way in which a turn ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TurnStop {
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
    fn miss(&mut self, kind: &'static str, count: u64) {
        if count > 0 {
            *self.missing.entry(kind).or_default() += count;
        }
    }
}
