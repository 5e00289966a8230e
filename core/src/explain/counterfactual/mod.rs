//! Counterfactuals: a smallest set of changes to the evidence under which the decision is `success`. It is the smallest among the
//! sets that resolve each finding by an act of its row in `needs.rs`; other sets may be smaller.
//!
//! ```text
//! findings -> needs (the acts that resolve each) -> search over sets of acts -> changes -> evaluate
//! ```
//!
//! An *act* is something that another run could truthfully report: a passed check, an existing artifact, an omitted claim. Evidence
//! is never withheld, statements of humans and authorities are never invented, and recorded history stays. `needs.rs` has the
//! table, one row for each rule. Acts become changes of the envelope's JSON, and every candidate is written, read and evaluated
//! like any other envelope.

mod act;
mod change_collector;
mod changed_envelope;
mod changes;
mod constants;
mod diff;
mod instance;
mod levers;
mod needs;
mod ranges;
mod search;
mod tests;
mod trees;

pub use search::MAX_CANDIDATES;
pub(super) use search::find;

use crate::documents::counterfactual::Impossibility;

impl Impossibility {
    const fn message(self) -> &'static str {
        match self {
            Self::Success => "the decision is `success`: there is nothing to change",
            Self::NeedsHuman => "no change to the evidence is enough without a human",
            Self::Terminal => "the cause is not evidence that another run could change",
            Self::NotFound => "none of the changes to the evidence that are tried leads to `success`",
            Self::Unfinished => "the search for a smallest set of changes reached its bound",
        }
    }
}
