//! Turns of the past: what a policy would have done about the work that transcripts of coding agents record.
//!
//! ```text
//! line -> claude_code or codex -> [Entry] -> Session -> TranscriptTurn -> Judge -> verdict and causes
//! ```
//!
//! Only typed entries count: tool calls, their results and their exit codes. [`TranscriptTurn::missing`] counts the
//! evidence that a transcript does not have.

mod claude_code;
mod codex;
mod command;
mod entry;
mod judge;
mod session;
mod turn;

pub use judge::{Judge, PastVerdict};
pub use session::Session;
pub use turn::{StopCause, TranscriptTurn};
