//! PlanIR: the one form that every planner's output is brought into, so that replays and receipts can be held against it
//! (SPEC section 9, ADR-0009).
//!
//! - `plan` has the types, `read` reads a normalised plan, `hash` says what a plan's hash is.
//! - `links` says what depends on what, and finds circles.
//!
//! What is not here: whether a plan is any good, and running it.

mod hash;
mod ids;
mod links;
mod plan;
mod read;
mod verbatim;

pub use hash::HashMode;
pub use plan::{Complexity, Intent, PlanIr, PlanStep, Verification};
