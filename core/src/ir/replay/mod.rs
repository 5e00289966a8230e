//! Replays: whether what a session logged is that of its plan (SPEC section 9, ADR-0009).
//!
//! ```text
//! PlanIr --+
//! event ---+--> Replay (one event at a time) --receipt, tests--> Report: linked, findings, hash, delta
//! ```
//!
//! Owned here: which step each call belongs to, that calls and results come in pairs, that steps took no more iterations than they
//! may, and that the plan that was started is the one that is held against it. What is not here: what tools did, when, and whether
//! it was any good.

mod answer;
mod call;
mod calls;
mod code;
mod event;
mod finding;
mod report;
mod stem;
mod verify;

pub use answer::check_replay;
pub use call::verify_replay_text;
pub use code::ReplayCode;
pub use event::{Event, Layout};
pub use finding::Finding;
pub use report::{Receipt, Report, Tests};
pub use verify::Replay;
