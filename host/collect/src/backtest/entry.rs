//! The entries of a transcript, in the same form for each agent.

use adjudicate_core::json::{Node, OwnedValue};

/// An entry that counts. Readers leave out all others.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// The id of the session.
    Session(String),
    /// The folder in which the agent works from now on.
    Folder(String),
    /// The agent begins a turn, and marks its end.
    Start,
    /// The user's prompt.
    Prompt(Option<String>),
    /// The agent calls a tool.
    Call { id: String, tool: String, input: OwnedValue },
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallEnd {
    /// The call did its work. A command exited with 0.
    Done,
    /// A command exited with this code.
    Exited(i64),
    /// The call failed, so an edit changed nothing.
    Failed,
    /// The transcript does not say it.
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
