//! Planning gates: when a planning agent goes on, changes its strategy, asks, commits or stops (SPEC section 10; PAO).
//!
//! ```text
//! ledger JSON -> Ledger -> Facts (budgets, triggers, duties) -> the first gate of the table that holds -> warnings -> Deliberation
//! ```
//!
//! Owned here: what a ledger of turns says, what is left of its budgets, when an agent goes round in circles, what it owes and
//! what is told when it stops. The gates, their order and every number of PAO stand in one table, `gates.rs`. What is not
//! here: counting. Turns, calls and milliseconds are the caller's, and no text of a ledger is read for its meaning.

mod answer;
mod budgets;
mod contract;
mod duties;
mod facts;
mod gates;
mod ledger;
mod novelty;
mod outputs;
mod progress;
mod question;
mod readiness;
mod reason;
mod report;
mod stagnation;
mod switch;
mod turn;
mod warnings;

pub use answer::{Deliberation, deliberate, deliberate_text};
pub use budgets::{Amounts, Budget, PhaseBudget};
pub use contract::check_deliberation;
pub use duties::Duty;
pub use gates::{Gate, StopReason};
pub use ledger::Ledger;
pub use question::{Quality, Verdict};
pub use readiness::Readiness;
pub use reason::{Reason, ReasonCode};
pub use stagnation::Trigger;
pub use switch::Switch;
