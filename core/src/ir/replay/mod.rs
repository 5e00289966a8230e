//! Replays: verifies a session's log against its plan (docs/reference/planir.md).
//!
//! ```text
//! PlanIr, receipt, tests --+
//! event -------------------+--> Replay (one event at a time) --> ReplayReport: linked, findings, hash, delta
//! ```
//!
//! Checks the step of each call, pairs of calls and results, iteration limits, and claims about plan, calls and tests. It does
//! not judge the work of tools.

mod answer;
mod call;
mod calls;
mod finding;
mod receipt_calls;
mod report;
mod stem;
mod verify;

pub use answer::check_replay;
pub use call::{VerifyReplayCall, verify_replay_text};
pub use finding::ReplayFinding;
pub use report::ReplayReport;
pub use verify::Replay;

pub use crate::documents::replay::{
    CarriedEvent, Delta, Event, Events, Layout, PlanStart, Receipt, ReceiptCall, ReplayAnswer, ReplayCode,
    StatedFinding, StepComplete, Tests, ToolCall, ToolResult, VerificationClaim,
};
