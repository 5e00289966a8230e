//! The entries of a transcript, in the same form for each agent.

use adjudicate_core::json::{Kind, Node, OwnedValue};

/// An entry that counts. Readers leave out all others.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Entry {
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
pub(super) enum CallEnd {
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
    pub(super) const fn exited(code: i64) -> Self {
        if code == 0 { Self::Done } else { Self::Exited(code) }
    }
}

/// Returns the text of a field.
pub(super) fn text<'a>(node: Node<'a>, name: &str) -> Option<&'a str> {
    node.member(name)?.as_str()
}

/// Returns the text of a field that must not be empty.
pub(super) fn id(node: Node<'_>, name: &str) -> Option<String> {
    text(node, name).filter(|text| !text.is_empty()).map(ToOwned::to_owned)
}

/// Returns true if a field is `true`.
pub(super) fn is_set(node: Node<'_>, name: &str) -> bool {
    node.member(name).is_some_and(|flag| flag.kind() == Kind::Bool(true))
}

/// Returns a text, or the first text in a list of blocks.
pub(super) fn content(node: Node<'_>) -> Option<&str> {
    node.as_str().or_else(|| node.items().find_map(|block| text(block, "text")))
}
