//! Turns of the past: what a policy would have done about the work that transcripts of coding agents record.
//!
//! ```text
//! line -> claude_code or codex -> [Entry] -> Session -> Turn -> judge -> Judged
//! ```
//!
//! Only typed entries count: tool calls, their results and their exit codes. Evidence that a transcript does not have is unknown, and
//! [`Unknown`] counts it.

mod claude_code;
mod codex;
mod command;
mod entry;
mod judge;
mod session;
mod turn;

pub use judge::{Judge, Judged, TurnFinding, Verdict};
pub use session::Session;
pub use turn::{RefusedCall, Turn, TurnStop, Unknown};
