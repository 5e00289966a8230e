//! Slots: what a kernel evaluates against, while what decides there is swapped (SPEC section 13.4).
//!
//! ```text
//! call -> one route, held to the end -+-> canary, if the run is one of its own
//!                                     +-> active -> answer, or what the slot does about a fault
//!                                     +-> shadow, later, on a thread of its own: what it would have said
//! change -> modules judged and loaded -> one transaction -> one pointer stored
//! ```
//!
//! Slots may be shared by several hosts (SPEC section 14): the truth is a ledger then, and each host's store a copy of it.
//!
//! ```text
//! change -> judged, loaded here -> modules kept in the ledger -> put, if nobody was faster -> store: the same number -> pointer
//! entry of another host -> follow -> modules fetched, installed, judged by the rules of this host -> store -> pointer
//!                                    refused: the slot stays as it is, and says why, until a later entry or other trust comes
//! ```
//!
//! Owns who decides when. What is kept, and how, is the store's business; what a module may do, the module's; how a ledger comes
//! by its entries, the ledger's. A call never waits for a change: whatever takes time (judging, compiling, writing, asking
//! others) is done before the pointer moves, and no transaction is open while the ledger is asked.

mod borrowed;
mod bound;
mod call;
mod change;
mod deployment;
mod follow;
mod handle;
mod installing;
mod ledger;
mod live;
mod loader;
mod opened;
mod registry;
mod route;
mod shadow;
mod shared;
mod stand_in;
mod statistics;
#[cfg(test)]
mod tests;
mod troubles;
mod trusting;
mod watcher;
mod way_back;
mod weight;
mod window;

pub use call::Decided;
pub use deployment::Deployment;
pub use handle::Slot;
pub use installing::{Installed, Terms};
pub use ledger::{Ledger, Proposed};
pub use registry::Slots;
pub(crate) use route::is_of_canary;
pub(crate) use stand_in::{StandIns, stand_in};
pub use statistics::Statistics;
