//! An active goal, as a host stores it.

use alloc::{format, string::String};

use adjudicate_core::{
    Error,
    document::{Document, Extra},
};

use super::configuration::{Configuration, OwnedConfiguration};
use crate::codes;

/// The version of the format.
const VERSION: u64 = 1;

/// An active goal: its text, and the documents that it became.
#[derive(Clone, Debug, Document)]
#[document(owned, root, expecting = "a goal object", check = "Self::check")]
pub struct Goal<'a> {
    /// The version of this format: 1.
    pub goal: u64,
    /// The sentences of the goal.
    pub text: &'a str,
    /// The time at which it was set, in seconds since 1970.
    pub set_at: u64,
    /// The configuration.
    pub configuration: Configuration<'a>,
    /// The policy, as JSON text.
    pub policy: &'a str,
}

impl Goal<'_> {
    fn check(&self) -> Result<(), Error> {
        if self.goal == VERSION {
            return Ok(());
        }
        let message = format!("expected the version {VERSION}, found `{}`", self.goal);
        Err(Error::new(codes::INVALID_VALUE, message).at("/goal"))
    }
}

impl OwnedGoal {
    /// Returns a goal that is set now.
    #[must_use]
    pub fn new(text: String, set_at: u64, configuration: OwnedConfiguration, policy: String) -> Self {
        Self { goal: VERSION, text, set_at, configuration, policy, extra: Extra::new() }
    }
}
