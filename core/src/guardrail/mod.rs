//! Guardrails: policies that watch a run and never change its plan (SPEC section 8; 5.9.5 and 5.9.7).
//!
//! ```text
//! policies -> [Guardrail] --event, state--> [Firing]: actions in the order of the policies, a payload each
//! ```
//!
//! Owned here: what triggers a guardrail, whether its conditions hold, and what is done in place of what cannot be decided: a
//! person is asked. What is not here: doing it. Counters, clocks and metrics are the caller's.

mod action;
mod answer;
mod apply;
mod document;
mod event;

pub use action::Action;
pub use answer::check_actions;
pub use apply::{Firing, Reason, apply, apply_text};
pub(crate) use document::read_guardrails;
pub use document::{EventKind, Guardrail, Trigger};
pub use event::{Event, State};
