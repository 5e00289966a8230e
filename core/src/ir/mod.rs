//! PlanIR: the canonical form of every planner's plan, against which replays and receipts are verified
//! (docs/reference/planir.md).
//!
//! ```text
//! a planner's own form --adapters--> PlanIr + NormalizationReport (inferred and kept values) --> plan_hash
//! ```
//!
//! - `documents` has the wire form. `plan` has the types, `read` the conversion. `hash` computes a plan's hash and the event that
//!   begins a log; `quality` counts.
//! - `adapters` has a file for each form, in both directions. `ids` assigns step ids, `cycle` finds cyclic dependencies.
//! - `report` is an adapter's report about the `slot`s of a plan, `call` the operation `normalize_plan`, `answer` its output
//!   contract for foreign answers.
//! - `source` restores an adapter's input from the `origins` of its values, and `skeleton` turns any plan into a plan graph.
//! - [`replay`] verifies a session's log against its plan.
//!
//! This module does not judge plans and does not run them.

mod adapters;
mod answer;
mod call;
mod cycle;
mod describe;
mod hash;
mod ids;
mod origins;
mod plan;
mod quality;
mod read;
pub mod replay;
mod report;
mod skeleton;
mod slot;
mod source;
mod verbatim;

pub use adapters::normalize;
pub use answer::check_normalized;
pub use call::{NormalizePlanCall, normalize_text};
pub use plan::{PlanIr, PlanStep, PlanVerification};
pub use quality::Quality;
pub use report::{Inferred, KeptField, NormalizationReport, Normalized};
pub use source::source_text;

pub use crate::documents::plan_ir::{
    AdapterReport, Complexity, HashMode, InferenceReason, InferredValue, KeptValue, NormalizedPlan,
    PlanFormat, PlanQuality, PlanStartEvent, PlanStartKind, StepIntent,
};
