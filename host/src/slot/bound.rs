//! The ledger in which slots are changed, if several hosts share them.

use std::sync::Arc;

use adjudicate_core::Error;
use adjudicate_sandbox::{Digest, Module};

use super::{
    ledger::{Ledger, Proposed},
    loader::Loader,
};
use crate::{
    codes,
    history::{Composition, Entry, Member, SlotSettings},
    store::{Height, Taken},
    trust::TrustPolicy,
};

/// The ledger, and the rules of this host for its entries.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) ledger: Arc<dyn Ledger>,
    /// Whether this host accepts modules without a signature if the ledger says that they need none.
    pub(super) takes_unsigned: bool,
}

impl Bound {
    /// Refuses a module that needs no signature by the ledger, unless this host accepts such modules.
    pub(super) fn admit(&self, member: &Member) -> Result<(), Error> {
        if !member.unsigned || self.takes_unsigned {
            return Ok(());
        }
        let message = format!(
            "the module {} is to decide without a signature, which this host does not take from a cluster; it would with \
             --nats-allow-unsigned",
            member.module
        );
        Err(Error::new(codes::MODULE_UNSIGNED, message))
    }

    /// Returns the bytes of a module, and checks their digest.
    fn fetch(&self, digest: Digest, most: usize) -> Result<Vec<u8>, Error> {
        let bytes = self.ledger.module(digest, most)?;
        let found = Digest::of(&bytes);
        if found == digest {
            return Ok(bytes);
        }
        let message = format!("what the cluster keeps as the module {digest} is something else: {found}");
        Err(Error::new(codes::CLUSTER_FAULT, message))
    }
}

impl Loader {
    /// Installs the members of compositions that the store does not have, from the ledger and by the rules of this host. The loaded
    /// modules stay in memory as long as the caller keeps the result.
    pub(super) fn fetch<'a>(
        &self,
        compositions: impl Iterator<Item = &'a Composition>,
        settings: &SlotSettings,
        trust: &TrustPolicy,
    ) -> Result<Vec<Module>, Error> {
        let Some(bound) = &self.bound else { return Ok(Vec::new()) };
        let members: Vec<_> = compositions.flat_map(Composition::members).collect();
        let lacking = self.store.lacks(members.iter().map(|member| member.module))?;
        let limits = settings.limits(self.host.limits());
        let mut held = Vec::new();
        for digest in lacking {
            // The same module may be there twice. If one of the two needs a signature, the module needs one.
            let unsigned =
                members.iter().filter(|member| member.module == digest).all(|member| member.unsigned);
            let member = Member { module: digest, unsigned };
            bound.admit(&member)?;
            let bytes = bound.fetch(digest, limits.module_bytes)?;
            held.push(self.install(&bytes, limits, trust, member.unsigned)?.module);
        }
        Ok(held)
    }

    /// Makes a change in the ledger, if the slot is still in this entry there, and then on this host.
    pub(super) fn put(
        &self,
        bound: &Bound,
        slot: &str,
        before: Option<&Entry>,
        proposed: &Proposed<'_>,
        heights: &[Height],
    ) -> Result<Entry, Error> {
        self.keep_modules(bound, before, proposed)?;
        let before = before.map(|entry| entry.id);
        let id = bound.ledger.put(slot, before, proposed).map_err(|error| self.explained(slot, error))?;
        let Proposed { at, action, note, state, settings } = *proposed;
        let (slot, note) = (slot.to_owned(), note.to_owned());
        let entry = Entry { id, slot, at, action, note, state: state.clone(), settings: settings.clone() };
        if before.is_some_and(|before| id <= before) {
            return Err(unordered(&entry));
        }
        // The follower of the ledger may have been faster.
        match self.store.take_entry(bound.ledger.id(), &entry, before, heights) {
            Ok(Taken::InForce | Taken::Superseded) => {
                self.troubles.settle(&entry.slot, entry.id);
                Ok(entry)
            }
            Ok(Taken::Stale) => Err(unordered(&entry)),
            Err(error) => {
                let message = format!(
                    "the change is entry {id} of the cluster, and comes into force here when the store can be written again: {}",
                    error.message()
                );
                Err(Error::new(error.code(), message))
            }
        }
    }

    /// Keeps the modules of a change in the ledger, for every host. The modules of the entry before are already there.
    fn keep_modules(
        &self,
        bound: &Bound,
        before: Option<&Entry>,
        proposed: &Proposed<'_>,
    ) -> Result<(), Error> {
        let modules = |entry: &Entry| -> Vec<Digest> {
            entry.state.compositions().flat_map(Composition::members).map(|member| member.module).collect()
        };
        let mut known = before.map(modules).unwrap_or_default();
        for member in proposed.state.compositions().flat_map(Composition::members) {
            if !known.contains(&member.module) {
                bound.ledger.keep_module(member.module, &self.store.module_bytes(member.module)?)?;
                known.push(member.module);
            }
        }
        Ok(())
    }

    /// A host that refuses the latest entry cannot change the slot. The error tells its operator the reason.
    fn explained(&self, slot: &str, error: Error) -> Error {
        match self.troubles.refused(slot) {
            Some((id, refusal)) if error.code() == codes::SLOT_CHANGED => {
                let message = format!(
                    "the slot is in entry {id} in the cluster, which this host refuses: {}; nothing was changed",
                    refusal.message()
                );
                Error::new(codes::SLOT_CHANGED, message)
            }
            _ => error,
        }
    }
}

fn unordered(entry: &Entry) -> Error {
    let message = format!("the ledger gave the change the number {}, which is not the next one", entry.id);
    Error::new(codes::CLUSTER_FAULT, message)
}
