//! Events of coding agents, and their reading. The formats are those of the hosts (docs/reference/hooks.md).

use adjudicate_core::{
    Error, codes,
    document::{self, Document},
    json::{self, Kind, Node, Nullable, OwnedValue, ReadLimits, shorten},
    owned::DiffFile,
};

use super::{agent::Agent, tools};

/// An event of a coding agent.
#[derive(Clone, Debug)]
pub enum HookEvent {
    /// A tool is about to run.
    Call(HookCall),
    /// The agent is about to end its turn.
    End(TurnEnd),
}

/// A tool call that has not run.
#[derive(Clone, Debug)]
pub struct HookCall {
    /// The session of the agent; empty if the event names none.
    pub session: String,
    /// The name of the tool.
    pub tool: String,
    /// The input of the tool.
    pub input: OwnedValue,
    /// The files that the call changes, as the agent wrote them. Empty for a tool that is not known to change files, for example a shell.
    pub files: Vec<DiffFile>,
    /// The folders that the event names, in which the project may be. The agent works in the first.
    pub folders: Vec<String>,
    /// True if the host can ask a human about this call.
    pub can_ask: bool,
}

/// The end of a turn.
#[derive(Clone, Debug)]
pub struct TurnEnd {
    /// The session of the agent; empty if the event names none.
    pub session: String,
    /// A name of the turn, by which holds are counted.
    pub turn: String,
    /// True if a hook has held the agent in this turn before; `None` if the host does not say so.
    pub is_repeated: Option<bool>,
    /// True if tasks of the agent still run in the background.
    pub is_busy: bool,
    /// True if the user or an error ended the turn, so the agent cannot continue.
    pub is_aborted: bool,
    /// True if only a subagent ends. Its work is a part of the turn, which is judged at its end.
    pub is_subagent: bool,
    /// True if `adjudicate hook test` sent the event.
    pub is_test: bool,
    /// The folders that the event names, in which the project may be.
    pub folders: Vec<String>,
}

/// The session of the events by which a hook is tested.
pub const TEST_SESSION: &str = "adjudicate_hook_test";

/// The input of a hook. Hosts add fields.
#[derive(Document)]
#[document(carried, expecting = "an object, the input of a hook")]
struct Input<'a> {
    #[serde(default)]
    hook_event_name: Nullable<&'a str>,
    #[serde(default)]
    cwd: Nullable<&'a str>,
    #[serde(default)]
    workspace_roots: Nullable<Vec<&'a str>>,
    #[serde(default)]
    session_id: Nullable<&'a str>,
    #[serde(default)]
    conversation_id: Nullable<&'a str>,
    /// A turn: Claude Code has the first, Codex the second. Cursor's `generation_id` is another one after each hold.
    #[serde(default)]
    prompt_id: Nullable<&'a str>,
    #[serde(default)]
    turn_id: Nullable<&'a str>,
    #[serde(default)]
    tool_name: Nullable<&'a str>,
    tool_input: Option<Node<'a>>,
    /// The command of Cursor's event for shells.
    #[serde(default)]
    command: Nullable<&'a str>,
    #[serde(default)]
    stop_hook_active: Nullable<bool>,
    #[serde(default)]
    loop_count: Nullable<u64>,
    #[serde(default)]
    background_tasks: Nullable<Vec<Node<'a>>>,
    /// The end of Cursor's turn: `completed`, `aborted` or `error`.
    #[serde(default)]
    status: Nullable<&'a str>,
    /// The names of Copilot's events such as `preToolUse`.
    #[serde(rename = "sessionId", default)]
    session: Nullable<&'a str>,
    #[serde(rename = "toolName")]
    tool: Option<Nullable<&'a str>>,
    #[serde(rename = "toolArgs")]
    arguments: Option<Node<'a>>,
}

/// Returns an input without its byte order mark.
fn without_mark(input: &[u8]) -> &[u8] {
    input.strip_prefix("\u{feff}".as_bytes()).unwrap_or(input)
}

/// Returns the input of a hook with these folders in addition to its own, for a program that cannot see the variables of the agent.
///
/// # Errors
///
/// Those of [`json::read`].
pub fn with_folders(input: &[u8], folders: &[String]) -> Result<String, Error> {
    let tape = json::read(without_mark(input), ReadLimits::DOCUMENT)?;
    let mut event = OwnedValue::from(tape.root());
    for folder in folders {
        event.add(&["workspace_roots"], OwnedValue::text(folder));
    }
    Ok(event.to_text())
}

enum EventKind {
    Call,
    End,
    SubagentEnd,
}

impl TurnEnd {
    /// Returns true if the event names the turn, and not only the session.
    pub(super) fn has_turn_id(&self) -> bool {
        !self.turn.ends_with('/')
    }
}

impl Agent {
    /// Reads the input of a hook.
    ///
    /// # Errors
    ///
    /// Those of [`json::read`]; [`codes::INVALID_VALUE`] for an event that is neither before a call nor the end of a turn, and for fields
    /// of another type.
    pub fn read(self, input: &[u8]) -> Result<HookEvent, Error> {
        let tape = json::read(without_mark(input), ReadLimits::DOCUMENT)?;
        let input: Input<'_> = document::read(tape.root())?;
        let folders =
            [input.cwd.0].into_iter().flatten().chain(input.workspace_roots.0.iter().flatten().copied());
        let folders = folders.map(ToOwned::to_owned).collect();
        let session = [input.session_id.0, input.conversation_id.0, input.session.0];
        let session = session.into_iter().flatten().next().unwrap_or_default();
        let is_subagent = match self.kind(&input)? {
            EventKind::Call => return self.call(&input, session, folders).map(HookEvent::Call),
            EventKind::End => false,
            EventKind::SubagentEnd => true,
        };
        let turn = input.prompt_id.0.or(input.turn_id.0).unwrap_or_default();
        Ok(HookEvent::End(TurnEnd {
            is_test: session == TEST_SESSION,
            is_aborted: self == Self::Cursor && input.status.0.is_some_and(|status| status != "completed"),
            is_subagent,
            turn: [session, turn].join("/"),
            session: session.to_owned(),
            is_repeated: input.stop_hook_active.0.or(input.loop_count.0.map(|count| count > 0)),
            is_busy: input.background_tasks.0.is_some_and(|tasks| !tasks.is_empty()),
            folders,
        }))
    }

    fn kind(self, input: &Input<'_>) -> Result<EventKind, Error> {
        let row = self.row();
        let ends = [&[row.end], row.other_ends].concat();
        let is = |known: &[&str], name: &str| known.iter().any(|known| known.eq_ignore_ascii_case(name));
        match input.hook_event_name.0 {
            Some(name) if is(row.calls, name) => Ok(EventKind::Call),
            Some(name) if is(&ends, name) => Ok(EventKind::End),
            Some(name) if is(row.subagent_end.as_slice(), name) => Ok(EventKind::SubagentEnd),
            Some(name) => {
                let known = [row.calls, &ends].concat().join("`, `");
                let message = format!("expected one of the events `{known}`, found `{}`", shorten(name));
                Err(Error::new(codes::INVALID_VALUE, message).at("/hook_event_name"))
            }
            // Copilot's older events have no name.
            None if self == Self::Copilot && input.session.0.is_some() => Ok(match input.tool {
                Some(_) => EventKind::Call,
                None => EventKind::End,
            }),
            None => Err(Error::new(codes::MISSING_FIELD, "the field `hook_event_name` is missing")
                .at("/hook_event_name")),
        }
    }

    fn call(self, input: &Input<'_>, session: &str, folders: Vec<String>) -> Result<HookCall, Error> {
        let tool = match (input.tool_name.0.or(input.tool.as_ref().and_then(|tool| tool.0)), input.command.0)
        {
            (Some(tool), _) => tool,
            (None, Some(_)) => "shell",
            (None, None) => {
                return Err(
                    Error::new(codes::MISSING_FIELD, "the field `tool_name` is missing").at("/tool_name")
                );
            }
        };
        let mut arguments = match (input.tool_input.or(input.arguments), input.command.0) {
            (Some(node), _) => OwnedValue::from(node),
            (None, Some(command)) => OwnedValue::object([("command", OwnedValue::text(command))]),
            (None, None) => OwnedValue::object([]),
        };
        // Some hosts send the input as a text of JSON.
        if let Some(inner) = arguments.as_str().and_then(object_in) {
            arguments = inner;
        }
        let can_ask = input.hook_event_name.0.is_some_and(|name| self.row().asks.contains(&name));
        Ok(HookCall { can_ask, ..self.tool_call(session, tool, arguments, folders)? })
    }

    /// Returns true for a tool whose input names each file that it changes.
    pub(crate) fn names_files(self, tool: &str) -> bool {
        tool == tools::PATCH || self.row().edits.iter().any(|(name, _)| *name == tool)
    }

    /// Returns a call about which a human can be asked, if the agent can do so before any call.
    ///
    /// # Errors
    ///
    /// [`codes::INVALID_VALUE`] if a tool that is known to change files names none, and for a patch in an unknown folder.
    pub(crate) fn tool_call(
        self,
        session: &str,
        tool: &str,
        input: OwnedValue,
        folders: Vec<String>,
    ) -> Result<HookCall, Error> {
        let files = tools::files(self.row().edits, tool, &input)?;
        let (session, tool) = (session.to_owned(), tool.to_owned());
        Ok(HookCall { session, tool, input, files, folders, can_ask: !self.row().asks.is_empty() })
    }
}

/// Returns the object that a text of JSON is.
pub(crate) fn object_in(text: &str) -> Option<OwnedValue> {
    let tape = json::read(text.as_bytes(), ReadLimits::DOCUMENT).ok()?;
    (tape.root().kind() == Kind::Object).then(|| OwnedValue::from(tape.root()))
}
