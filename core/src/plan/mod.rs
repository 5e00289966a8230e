//! Plan validation: checks a plan against its task, and lists every problem as a diagnostic (docs/reference/plans.md).
//!
//! ```text
//! JSON -> PlanCall -> PlanFacts -> Coverage -> validators -> [Diagnostic]
//! [Diagnostic] --merge--> [Diagnostic] without repeats, in one order --> Bundle (status, score, buckets) --> payload
//! ```
//!
//! - The wire types are in [`documents`](crate::documents). `facts` holds the same with every reference resolved.
//! - `graph` orders the nodes, `reach` finds which fields reach a node from earlier nodes, `coverage` applies both to the task's
//!   constraints. `enforcement` and `implication` find the nodes that could enforce a constraint.
//! - `symbolic` finds constraints that no result can satisfy, alone or together, and generates results that satisfy them.
//! - `validators` is the table of checks, one file each; each reports by [`PlanCode`].
//! - `observe` checks an actual output once the plan has run, with the same diagnostics.
//! - `answer` is the output contract for foreign answers to these operations.
//! - `merge`, `score` and `bundle` turn diagnostics of any source into one answer (docs/reference/plans.md).
//!
//! This module does not interpret schemas, except the few keywords that `schema` reads off their text. It does not run plans.

mod advice;
mod answer;
mod bound_node;
mod bundle;
mod call;
mod catalog;
mod coverage;
mod demand;
mod diagnostic_report;
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
mod reach;
mod readable;
mod schema;
mod score;
mod symbolic;
mod validators;

pub use advice::shown_id;
pub use answer::{check_bundle, check_observation, check_payload};
pub use bundle::Bundle;
pub use call::{merge_text, validate_text};
pub use merge::merge;
pub use observe::observe_text;
pub use symbolic::witness_text;
pub(crate) use symbolic::{check_contract, check_guardrails};

pub use crate::{
    diagnostic::PlanCode,
    documents::diagnostic::{Cause, Diagnostic, DiagnosticStatus, Level},
};
