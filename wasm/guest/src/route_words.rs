//! The words in the names of steps that tell their role (docs/reference/routing.md). `cargo xtask generate` copies this file into
//! the crate for guests.

/// Words that name a fix, as the first or the last word.
pub(super) const FIXES: &[&str] =
    &["fix", "refine", "adjust", "revise", "repair", "mend", "correct", "amend", "retry", "rerun"];

/// Words that name a gate, as the first or the last word.
pub(super) const GATES: &[&str] =
    &["gate", "review", "approve", "approval", "human", "ask", "escalate", "confirm", "manual", "hold"];

/// Words that name a rollback, as the first or the last word.
pub(super) const ROLLBACKS: &[&str] = &["rollback", "revert", "undo", "abandon"];

/// Words that name a rollback: alone, or followed by one of [`UNDONE`].
pub(super) const UNDOES: &[&str] = &["reset", "restore", "discard"];

/// The second word of such a name: `reset_workspace`.
pub(super) const UNDONE: &[&str] =
    &["workspace", "worktree", "tree", "branch", "changes", "state", "run", "step"];

/// Words that name a terminal: alone, or followed by one of [`ENDED`].
pub(super) const STOPS: &[&str] =
    &["stop", "done", "finish", "end", "abort", "cancel", "halt", "quit", "exit"];

/// The second word of a terminal's name: `cancel_run`.
pub(super) const ENDED: &[&str] = &["run", "workflow", "session", "agent"];

/// Words that join, negate or evade others. A name with one of them determines no role.
pub(super) const CONNECTIVES: &[&str] = &[
    "and",
    "then",
    "or",
    "after",
    "before",
    "when",
    "if",
    "unless",
    "non",
    "not",
    "no",
    "without",
    "skip",
    "bypass",
    "auto",
    "automatic",
    "force",
    "override",
    "ignore",
    "disable",
    "remove",
    "self",
    "free",
    "fake",
];

/// Words that say who does a step or what for, and nothing else.
pub(super) const PLAIN: &[&str] = &[
    "human", "person", "owner", "team", "manager", "lead", "security", "code", "final", "required",
    "request", "step", "for", "to", "the", "by",
];
