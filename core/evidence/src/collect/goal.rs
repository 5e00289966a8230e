//! An active goal, as a host stores it.

use alloc::string::String;

use adjudicate_core::document::{Document, Extra, FormatVersion};

use super::configuration::{Configuration, OwnedConfiguration};

/// The field of the envelope with the minutes since the active goal was set.
pub const GOAL_FIELD: &str = "x-goal";

/// An active goal: its text, and the documents that it became.
#[derive(Clone, Debug, Document)]
#[document(owned, root, expecting = "a goal object")]
pub struct Goal<'a> {
    /// The version of this format: 1.
    pub goal: FormatVersion<1>,
    /// The sentences of the goal.
    pub text: &'a str,
    /// The time at which it was set, in seconds since 1970.
    pub set_at: u64,
    /// The configuration.
    pub configuration: Configuration<'a>,
    /// The policy, as JSON text.
    pub policy: &'a str,
}

impl OwnedGoal {
    /// Returns a goal that is set now.
    #[must_use]
    pub fn new(text: String, set_at: u64, configuration: OwnedConfiguration, policy: String) -> Self {
        Self { goal: FormatVersion, text, set_at, configuration, policy, extra: Extra::new() }
    }
}
