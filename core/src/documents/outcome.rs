//! The mechanical outcome of a step, which its evidence states and the window keeps.

use adjudicate_lang::document::Document;
use serde::Serialize;

/// The end of a step's process, whatever its checks found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Document, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It ran to its end.
    Completed,
    /// It failed.
    // So evidence that is built without an outcome is never that of a successful step.
    #[default]
    Error,
    /// It was killed at its time limit.
    KilledTimeout,
    /// It was killed for doing nothing.
    KilledIdle,
    /// It was killed for breaking a policy.
    KilledPolicy,
}
