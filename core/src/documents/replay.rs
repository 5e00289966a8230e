//! Replays as they are on the wire: the events of a log, the receipt, the numbers of tests, and the report
//! (docs/reference/planir.md).

mod code;
mod delta;
mod describe;
mod event;
mod layout;
mod receipt;
mod report;

pub use code::ReplayCode;
pub use delta::{Delta, Tests};
pub(crate) use describe::ReplayEvent;
pub use event::{CarriedEvent, Event, PlanStart, StepComplete, ToolCall, ToolResult};
pub(crate) use layout::EventReader;
pub use layout::{Events, Layout};
pub use receipt::{Receipt, ReceiptCall, VerificationClaim};
pub use report::{ReplayAnswer, StatedFinding};
