//! The roles of steps, by which a policy routes and the evaluator chooses.

use adjudicate_lang::document::Document;
use serde::Serialize;

/// The role of a step in routing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The step continues the work.
    Forward,
    /// The step fixes findings.
    Fix,
    /// The step asks a human.
    Gate,
    /// The step undoes the work.
    Rollback,
    /// The step ends the run.
    Stop,
}
