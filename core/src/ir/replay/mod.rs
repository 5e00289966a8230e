//! Replays: whether what a session logged is that of its plan (SPEC section 9, ADR-0009).
//!
//! ```text
//! PlanIr, receipt, tests --+
//! event -------------------+--> Replay (one event at a time) --> Report: linked, findings, hash, delta
//! ```
//!
//! Owned here: which step each call belongs to, pairs of calls and results, the bounds of iterations, and the claims about the plan,
//! its calls and its tests. Not here: what tools did, when, and whether it was any good.

mod answer;
mod call;
mod calls;
mod code;
mod delta;
mod event;
mod finding;
mod receipt;
mod report;
mod stem;
mod verify;

pub use answer::check_replay;
pub use call::verify_replay_text;
pub use code::ReplayCode;
pub use delta::Tests;
pub use event::{Event, Layout};
pub use finding::Finding;
pub use receipt::Receipt;
pub use report::Report;
pub use verify::Replay;
