//! The roles of steps, by which a policy routes and the evaluator chooses.

use serde::{Deserialize, Serialize};

/// What role a step plays for routing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Goes on with the work.
    Forward,
    /// Mends what was found.
    Fix,
    /// Asks a person.
    Gate,
    /// Undoes the work.
    Rollback,
    /// Ends the run.
    Stop,
}
