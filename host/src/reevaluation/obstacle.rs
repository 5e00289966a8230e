//! The reasons why a call cannot be decided again.

use serde::Serialize;

/// A reason why a call cannot be decided again or compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Obstacle {
    /// The slot keeps no inputs, or could not keep this one.
    InputNotKept,
    /// A part of the input is redacted.
    InputRedacted,
    /// A part of the answer is redacted, so it cannot be compared.
    AnswerRedacted,
    /// For the recorded version: the active modules could not be loaded or were not trusted then.
    NotLoaded,
    /// For the recorded version: the host failed, not the module. For example, the host was overloaded.
    HostFailed,
    /// For the recorded version: its modules are not in the store or cannot be loaded.
    ModuleMissing,
}

impl Obstacle {
    /// All obstacles.
    pub const ALL: [Self; 6] = [
        Self::InputNotKept,
        Self::InputRedacted,
        Self::AnswerRedacted,
        Self::NotLoaded,
        Self::HostFailed,
        Self::ModuleMissing,
    ];

    /// The word in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InputNotKept => "input_not_kept",
            Self::InputRedacted => "input_redacted",
            Self::AnswerRedacted => "answer_redacted",
            Self::NotLoaded => "not_loaded",
            Self::HostFailed => "host_failed",
            Self::ModuleMissing => "module_missing",
        }
    }

    /// The meaning for humans.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::InputNotKept => "the input was not kept",
            Self::InputRedacted => "the input is redacted",
            Self::AnswerRedacted => "the answer is redacted",
            Self::NotLoaded => "the active modules could not be loaded then",
            Self::HostFailed => "the host failed, not the module",
            Self::ModuleMissing => "the module is not in the store, or cannot be loaded",
        }
    }
}
