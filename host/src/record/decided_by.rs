//! The author of a recorded decision.

use adjudicate_core::document::Document;
use serde::Serialize;

/// The part of a slot that made a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DecidedBy {
    /// The active composition.
    Active,
    /// The canary.
    Canary,
    /// The last good version, restricted by the finding `module_fault`. For the canary this is the active composition, for the active
    /// composition the one before.
    LastGood,
    /// The host, because a module failed and no other version could answer.
    FailClosed,
}
