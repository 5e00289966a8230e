//! PlanIR: the one form that every planner's output is brought into, so that replays and receipts can be held against it
//! (SPEC section 9, ADR-0009).
//!
//! ```text
//! a planner's own form --adapters--> PlanIr + Report (what was inferred, what is kept aside) --> plan_hash
//! ```
//!
//! - `plan` has the types, `read` reads a plan, `spelling` knows its words; `hash` says what a plan's hash is, and makes the
//!   event that begins a log; `quality` counts.
//! - `adapters` has a file for each form, with both ways; `ids` gives steps their ids, `cycle` finds steps that wait for each other.
//! - `report` is what an adapter answers, about the `slot`s of a plan, `call` the operation `normalize_plan`; `answer` is the
//!   contract that such answers are held to where somebody else gives them.
//! - `source` gives back what an adapter was given, and `skeleton` makes a plan graph of any plan.
//! - [`replay`] holds what a session logged against its plan.
//!
//! What is not here: whether a plan is any good, and running it.

mod adapters;
mod answer;
mod call;
mod cycle;
mod hash;
mod ids;
mod plan;
mod quality;
mod read;
pub mod replay;
mod report;
mod skeleton;
mod slot;
mod source;
mod spelling;
mod verbatim;

pub use adapters::{Format, normalize};
pub use answer::check_normalized;
pub use call::normalize_text;
pub use hash::HashMode;
pub use plan::{Complexity, Intent, PlanIr, PlanStep, Verification};
pub use quality::Quality;
pub use report::{Inferred, Kept, Normalized, Reason, Report};
pub use source::source_text;
