//! Slots: names that a kernel calls, while their compositions are swapped (SPEC section 13.4).
//!
//! ```text
//! call -> one route, held to the end -+-> canary, if the run is one of its own
//!                                     +-> active -> answer, or what the slot does about a fault
//!                                     +-> shadow, later, on a thread of its own: its answer is compared
//! change -> modules judged and loaded -> one transaction -> one pointer stored
//! ```
//!
//! Slots may be shared by several hosts (SPEC section 14): the truth is a ledger then, and each host's store a copy of it.
//!
//! ```text
//! change -> judged, loaded here -> modules kept in the ledger -> put, if no other host was faster -> store: the same number -> pointer
//! entry of another host -> follow -> modules fetched, installed, judged by the rules of this host -> store -> pointer
//!                                    refused: the slot stays as it is, and says why, until a later entry or other trust comes
//! ```
//!
//! Owns the choice of the deployment for each call. The store owns the stored data, the sandbox the limits of modules, and the
//! ledger its entries. A call never waits for a change: slow work (judging, compiling, writing, the ledger) is done before the
//! pointer moves, and no transaction is open during a request to the ledger.

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
