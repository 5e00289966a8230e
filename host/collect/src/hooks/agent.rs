//! The coding agents: their events, their tools that change files, and their forms of an answer.

/// A coding agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    /// Claude Code.
    ClaudeCode,
    /// Codex, the command of OpenAI.
    Codex,
    /// Cursor.
    Cursor,
    /// Gemini, the command of Google.
    Gemini,
    /// Copilot, the command of GitHub.
    Copilot,
}

/// A form of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Claude,
    Cursor,
    Gemini,
    Copilot,
}

/// The properties of an agent.
pub(super) struct Row {
    pub name: &'static str,
    /// The path of the settings with the hooks, below the root of a repository.
    pub settings: &'static str,
    /// The events before a tool call.
    pub calls: &'static [&'static str],
    /// The event at the end of a turn.
    pub end: &'static str,
    /// Further names of events at the end of a turn.
    pub other_ends: &'static [&'static str],
    /// The event at the end of a subagent, whose work is a part of the turn.
    pub subagent_end: Option<&'static str>,
    /// The tools that change one file, each with the field that has its path.
    pub edits: &'static [(&'static str, &'static str)],
    /// The events before a call at which the host can ask a human.
    pub asks: &'static [&'static str],
    pub form: Form,
    /// The environment variable with the folder of the project.
    pub folder: Option<&'static str>,
}

/// The tools of Claude Code, whose names Copilot uses for events such as `PreToolUse`.
const CLAUDE_TOOLS: &[(&str, &str)] = &[
    ("Edit", "file_path"),
    ("MultiEdit", "file_path"),
    ("Write", "file_path"),
    ("NotebookEdit", "notebook_path"),
];

impl Agent {
    /// All agents.
    pub const ALL: [Self; 5] = [Self::ClaudeCode, Self::Codex, Self::Cursor, Self::Gemini, Self::Copilot];

    /// Returns the name, for example `claude-code`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the path of the settings with the hooks, below the root of a repository.
    #[must_use]
    pub const fn settings(self) -> &'static str {
        self.row().settings
    }

    /// Returns the events before a tool call. Each needs a hook.
    #[must_use]
    pub const fn calls(self) -> &'static [&'static str] {
        self.row().calls
    }

    /// Returns the event at the end of a turn.
    #[must_use]
    pub const fn end(self) -> &'static str {
        self.row().end
    }

    /// Returns the environment variable by which the host names the folder of the project.
    #[must_use]
    pub const fn folder_variable(self) -> Option<&'static str> {
        self.row().folder
    }

    pub(super) const fn row(self) -> &'static Row {
        match self {
            Self::ClaudeCode => &Row {
                name: "claude-code",
                settings: ".claude/settings.json",
                calls: &["PreToolUse"],
                end: "Stop",
                other_ends: &[],
                subagent_end: Some("SubagentStop"),
                edits: CLAUDE_TOOLS,
                asks: &["PreToolUse"],
                form: Form::Claude,
                folder: Some("CLAUDE_PROJECT_DIR"),
            },
            // If the answer asks a human, Codex runs the call.
            Self::Codex => &Row {
                name: "codex",
                settings: ".codex/hooks.json",
                calls: &["PreToolUse"],
                end: "Stop",
                other_ends: &[],
                subagent_end: Some("SubagentStop"),
                edits: CLAUDE_TOOLS,
                asks: &[],
                form: Form::Claude,
                folder: None,
            },
            Self::Cursor => &Row {
                name: "cursor",
                settings: ".cursor/hooks.json",
                calls: &["preToolUse", "beforeShellExecution", "beforeMCPExecution"],
                end: "stop",
                other_ends: &[],
                subagent_end: Some("subagentStop"),
                edits: &[("Write", "file_path"), ("Edit", "file_path"), ("Delete", "file_path")],
                asks: &["beforeShellExecution", "beforeMCPExecution"],
                form: Form::Cursor,
                folder: None,
            },
            Self::Gemini => &Row {
                name: "gemini",
                settings: ".gemini/settings.json",
                calls: &["BeforeTool"],
                end: "AfterAgent",
                other_ends: &[],
                subagent_end: None,
                edits: &[("write_file", "file_path"), ("replace", "file_path")],
                asks: &["BeforeTool"],
                form: Form::Gemini,
                folder: Some("GEMINI_PROJECT_DIR"),
            },
            // If the user allows all tools, Copilot runs a call about which the answer asks.
            Self::Copilot => &Row {
                name: "copilot",
                settings: ".github/hooks/adjudicate.json",
                // Names in the form `preToolUse` are the same events.
                calls: &["PreToolUse"],
                end: "Stop",
                other_ends: &["AgentStop"],
                subagent_end: Some("SubagentStop"),
                edits: &[
                    ("Edit", "file_path"),
                    ("MultiEdit", "file_path"),
                    ("Write", "file_path"),
                    ("NotebookEdit", "notebook_path"),
                    ("edit", "path"),
                    ("create", "path"),
                ],
                asks: &[],
                form: Form::Copilot,
                folder: None,
            },
        }
    }
}
