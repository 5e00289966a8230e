//! The ledger: the shared history of slots if several hosts share them.
//!
//! The store of each host is then a copy of the ledger. Every host follows the ledger, including the one that made the change. A
//! host that ends between the two steps finds the entry when it follows the ledger again.

use std::{fmt, sync::Arc};

use adjudicate_core::Error;
use adjudicate_sandbox::Digest;

use crate::{
    codes,
    history::{ComposedModule, SlotAction, SlotSettings, SlotState},
};

/// A proposed change of a slot.
#[derive(Clone, Copy, Debug)]
pub struct Proposed<'a> {
    /// The time of the change, in milliseconds since 1970.
    pub at: i64,
    /// The kind of the change.
    pub action: SlotAction,
    /// The reason.
    pub note: &'a str,
    /// The state after the change.
    pub state: &'a SlotState,
    /// The settings after the change.
    pub settings: &'a SlotSettings,
}

/// The shared history of slots. Called on threads that may wait.
pub trait SlotLedger: Send + Sync + fmt::Debug {
    /// The identity of the ledger. A store that follows one ledger never follows another.
    fn id(&self) -> &str;

    /// Replaces the entry with the number `before`, or creates the slot if `before` is `None`. Returns the number of the new entry,
    /// which is above those of all earlier entries.
    ///
    /// # Errors
    ///
    /// [`slot_changed`](crate::codes::SLOT_CHANGED) if the slot has another entry: nothing was changed.
    /// [`cluster_fault`](crate::codes::CLUSTER_FAULT) if the request failed. The change may still be in the ledger, and is then
    /// followed.
    fn put(&self, slot: &str, before: Option<i64>, proposed: &Proposed<'_>) -> Result<i64, Error>;

    /// Stores a module for all hosts. A stored module is not changed.
    ///
    /// # Errors
    ///
    /// [`cluster_fault`](crate::codes::CLUSTER_FAULT) if the request failed.
    fn store_module(&self, digest: Digest, bytes: &[u8]) -> Result<(), Error>;

    /// The bytes of a stored module, at most `most` of them. They are not verified.
    ///
    /// # Errors
    ///
    /// [`unknown_module`](crate::codes::UNKNOWN_MODULE), [`cluster_fault`](crate::codes::CLUSTER_FAULT),
    /// [`module_too_large`](crate::codes::MODULE_TOO_LARGE).
    fn module(&self, digest: Digest, most: usize) -> Result<Vec<u8>, Error>;
}

/// The ledger, and the rules of this host for its entries.
#[derive(Debug)]
pub(super) struct LedgerBinding {
    pub(super) ledger: Arc<dyn SlotLedger>,
    /// True if this host accepts modules without a signature if the ledger says that they need none.
    pub(super) accepts_unsigned: bool,
}

impl LedgerBinding {
    /// Rejects a module that needs no signature by the ledger, unless this host accepts such modules.
    pub(super) fn admit(&self, member: &ComposedModule) -> Result<(), Error> {
        if !member.unsigned || self.accepts_unsigned {
            return Ok(());
        }
        let message = format!(
            "the module {} is unsigned, and this host accepts no unsigned modules from a cluster; to accept them, pass \
             --nats-allow-unsigned",
            member.module
        );
        Err(Error::new(codes::MODULE_UNSIGNED, message))
    }

    /// Returns the bytes of a module, and checks their digest.
    pub(super) fn fetch(&self, digest: Digest, most: usize) -> Result<Vec<u8>, Error> {
        let bytes = self.ledger.module(digest, most)?;
        let found = Digest::sha256(&bytes);
        if found == digest {
            return Ok(bytes);
        }
        let message = format!("the cluster has other bytes for the module {digest}: {found}");
        Err(Error::new(codes::CLUSTER_FAULT, message))
    }
}
