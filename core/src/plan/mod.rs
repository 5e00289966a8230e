//! Plans: whether one can do what its task asks, and what stands against it (SPEC section 7).
//!
//! ```text
//! JSON -> PlanCall -> Facts -> Coverage -> validators -> [Diagnostic]
//! [Diagnostic] --merge--> [Diagnostic] without repeats, in one order --> Bundle (status, score, buckets) --> payload
//! ```
//!
//! - `document`, `contract`, `proposal` and `registry` are the wire types; `facts` is the same with everything looked up.
//! - `graph` knows what comes after what, `reach` what comes to a node from those before it, `coverage` what follows from that
//!   for the task's constraints; `enforcement` and `implication` say who could see to it that one holds.
//! - `symbolic` says which constraints no result can satisfy, alone or together, and shows results that satisfy them.
//! - `validators` is the table of what is checked, one file each; what they find has a [`PlanCode`].
//! - `observe` asks the same of an output that is there, once the plan has run.
//! - `answer` is the contract that such answers are held to where somebody else gives them.
//! - `merge`, `score` and `bundle` make one answer of diagnostics, wherever they come from (5.9.3).
//!
//! What is not here: whether a schema means anything and what it allows (but for the little that `schema` reads off its text),
//! and what happens when a plan runs.

mod advice;
mod answer;
mod bundle;
mod call;
mod contract;
mod coverage;
mod demand;
mod document;
mod enforcement;
mod facts;
mod graph;
mod implication;
mod links;
mod lists;
mod merge;
mod names;
mod observe;
mod payload;
mod previous;
mod proposal;
mod reach;
mod readable;
mod registry;
mod report;
mod schema;
mod score;
mod symbolic;
mod validators;

pub use advice::shown_id;
pub use answer::{check_bundle, check_observation, check_payload};
pub use bundle::{Bundle, BundleStatus};
pub use call::{merge_text, validate_text};
pub use contract::{Constraint, Contract};
pub use document::{PlanCall, Task};
pub use merge::merge;
pub use observe::observe_text;
pub use proposal::{Edge, Plan, PlanNode};
pub use registry::{Capability, Direction, Facet};
pub use score::Weights;
pub use symbolic::witness_text;
pub(crate) use symbolic::{check_contract, check_guardrails};

pub use crate::diagnostic::{Cause, Diagnostic, Level, Outcome, PlanCode};
