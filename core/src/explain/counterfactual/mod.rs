//! Counterfactuals: a smallest set of changes to the evidence under which the decision is `success`, among the sets that cure
//! each finding by an act of its own row in `needs.rs`. A set outside of these tables may be smaller.
//!
//! ```text
//! findings -> needs (which acts would make each go away) -> search over sets of acts -> changes -> evaluate
//! ```
//!
//! An *act* is something that another run could truthfully report: a check that passed, an artifact that is there, a claim
//! that was not made. Evidence is never withheld, what a person or an authority says is never made up, and what was
//! recorded of the past stays; `needs.rs` has the table, one row per rule. Acts become changes of the envelope's JSON, and
//! every envelope on the way is written, read and evaluated as any other.

mod act;
mod changes;
mod constants;
mod diff;
mod draft;
mod instance;
mod levers;
mod needs;
mod ranges;
mod search;

use alloc::{string::String, vec::Vec};

use serde::{Deserialize, Serialize};

pub use draft::{ChangeOp, EvidenceChange};
pub use search::MAX_CANDIDATES;
pub(super) use search::find;

use crate::codes::Status;

/// Changes to an envelope under which the decision is `success`: a smallest set of those that the engine looks for, which
/// cure each finding on its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Counterfactual {
    /// The changes, to be applied in their order, as operations of a JSON Patch (RFC 6902).
    pub changes: Vec<EvidenceChange>,
    /// The rules that find nothing any more, in the order of findings.
    pub resolves: Vec<String>,
    /// What the decision becomes: `success`.
    pub status: Status,
    /// The next step that it takes then.
    pub next_step: Option<String>,
}

/// Why there is no counterfactual.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct NoCounterfactual<'a> {
    /// Why, from a closed list.
    pub reason: Impossibility,
    /// Why, in one line.
    pub message: &'static str,
    /// The rules that stand in the way, in the order of findings.
    pub rules: Vec<&'a str>,
}

/// Why no change to the evidence leads to `success`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "snake_case")]
pub enum Impossibility {
    /// The decision is `success`.
    Success,
    /// A person must decide something.
    NeedsHuman,
    /// What stands in the way is not evidence that could be otherwise: it was done, or it is what the step is.
    Terminal,
    /// No set of changes that was tried leads there.
    NotFound,
    /// The search reached its bound before it had tried all.
    Unfinished,
}

impl Impossibility {
    const fn message(self) -> &'static str {
        match self {
            Self::Success => "the decision is `success`: there is nothing to change",
            Self::NeedsHuman => "no change to the evidence is enough without a person",
            Self::Terminal => "what stands in the way is not evidence that could be otherwise",
            Self::NotFound => "none of the changes to the evidence that are tried leads to `success`",
            Self::Unfinished => "the search for a smallest set of changes reached its bound",
        }
    }
}
