//! Guardrails: policies that watch a run and never change its plan (docs/reference/guardrails.md).
//!
//! ```text
//! policies -> [Guardrail] --event, state--> [Firing]: actions in the order of the policies, a payload each
//! ```
//!
//! This module matches triggers and conditions, and asks for human review if a condition cannot be decided. It does not carry out
//! actions. Counters, clocks and metrics are the caller's.

mod answer;
mod apply;

pub use answer::check_actions;
pub use apply::{Firing, apply, apply_text};

pub use crate::documents::guardrail_answer::{Actions, GuardrailAction, PolicyTriggered, PrintedTrigger};
