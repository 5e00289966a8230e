//! Slots: names that programs call, while the compositions behind them change (docs/reference/slots.md).
//!
//! ```text
//! call -> one route, held to the end -+-> canary, if the run is one of its own
//!                                     +-> active -> answer, or what the slot does about a fault
//!                                     +-> shadow, later, on a thread of its own: its answer is compared
//! change -> modules judged and loaded -> one transaction -> one pointer stored
//! ```
//!
//! Several hosts can share slots (docs/reference/slots.md). Then a ledger has the history, and each host's store is a copy of it.
//!
//! ```text
//! change -> judged, loaded here -> modules kept in the ledger -> put, if no other host was faster -> store: the same number -> pointer
//! entry of another host -> follow -> modules fetched, installed, judged by the rules of this host -> store -> pointer
//!                                    refused: the slot stays as it is, and says why, until a later entry or other trust comes
//! ```
//!
//! This module owns the choice of the deployment for each call. The store owns the stored data, the sandbox the limits of
//! modules, and the ledger its entries. A call never waits for a change. Slow work (judging, compiling, writing, the ledger)
//! comes before the swap of the pointer. No transaction is open during a request to the ledger.

mod answer;
mod call;
mod change;
mod deployment;
mod follow;
mod health;
mod install;
mod ledger;
mod ledger_changes;
mod loader;
mod registry;
mod rollback_target;
mod route;
mod shadow;
mod state;
mod statistics;
#[cfg(test)]
mod tests;
mod watcher;
mod window;

pub use answer::SlotAnswer;
pub(crate) use answer::{Fallback, answer_after_fault};
pub use deployment::Deployment;
pub use install::{InstallOptions, Installed};
pub use ledger::{Proposed, SlotLedger};
pub use registry::Slots;
pub(crate) use route::is_of_canary;
pub use state::Slot;
pub use statistics::Statistics;
