//! The reasons why a call cannot be decided again.

use adjudicate_core::document::Document;
use serde::Serialize;

/// A reason why a call cannot be decided again or compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document, Serialize)]
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
