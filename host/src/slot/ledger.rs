//! Where the truth about slots is kept, when several hosts share them.
//!
//! ```text
//! change here -> judged, loaded -> Ledger::put, if nobody was faster -> store: the same entry, by the number the ledger gave it
//! change elsewhere -> Slots::follow -> modules fetched, judged, loaded -> store
//! ```
//!
//! The store of each host is a copy of the ledger then: what was put is followed by everybody, also by whoever put it. A host that
//! ends between the two finds the entry when it follows the ledger again.

use std::fmt;

use adjudicate_core::Error;
use adjudicate_sandbox::Digest;

use crate::history::{Action, SlotSettings, State};

/// What a change would make of a slot.
#[derive(Clone, Copy, Debug)]
pub struct Proposed<'a> {
    /// When it is changed, in milliseconds since 1970.
    pub at: i64,
    /// What is done.
    pub action: Action,
    /// Why.
    pub note: &'a str,
    /// Who decides then, and who is tried.
    pub state: &'a State,
    /// How.
    pub settings: &'a SlotSettings,
}

/// Where the truth about slots is kept. Called on threads that may wait.
pub trait Ledger: Send + Sync + fmt::Debug {
    /// Which ledger it is: a store that was filled from one is never filled from another.
    fn id(&self) -> &str;

    /// Puts an entry in the place of the one with the number `before`, or makes the slot if there is none; answers the number of
    /// the entry, which is above those of all entries before.
    ///
    /// # Errors
    ///
    /// [`slot_changed`](crate::codes::SLOT_CHANGED) if another entry is there: nothing was changed.
    /// [`cluster_fault`](crate::codes::CLUSTER_FAULT) if that could not be done; it may have happened all the same, and is
    /// followed then.
    fn put(&self, slot: &str, before: Option<i64>, proposed: &Proposed<'_>) -> Result<i64, Error>;

    /// Keeps a module where every host finds it; one that is there already stays as it is.
    ///
    /// # Errors
    ///
    /// [`cluster_fault`](crate::codes::CLUSTER_FAULT).
    fn keep_module(&self, digest: Digest, bytes: &[u8]) -> Result<(), Error>;

    /// The bytes of a module that somebody kept, of at most `most` bytes; nobody has verified them.
    ///
    /// # Errors
    ///
    /// [`unknown_module`](crate::codes::UNKNOWN_MODULE), [`cluster_fault`](crate::codes::CLUSTER_FAULT),
    /// [`module_too_large`](crate::codes::MODULE_TOO_LARGE).
    fn module(&self, digest: Digest, most: usize) -> Result<Vec<u8>, Error>;
}
