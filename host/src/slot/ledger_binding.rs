//! The ledger in which slots are changed, if several hosts share them.

use std::sync::Arc;

use adjudicate_core::Error;
use adjudicate_sandbox::Digest;

use super::ledger::SlotLedger;
use crate::{codes, history::ComposedModule};

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
