//! The ledger that slots are changed in, where several hosts share them.

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

/// The ledger, and what this host makes of what stands in it.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) ledger: Arc<dyn Ledger>,
    /// Whether modules decide here that somebody else said need no signature.
    pub(super) takes_unsigned: bool,
}

impl Bound {
    /// Refuses a module that is to decide without a signature, unless this host takes such.
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

    /// A module's bytes, which are those with this digest.
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
    /// Installs those members of compositions that the store does not have, from the ledger and by the rules of this host. What
    /// was loaded for that is at hand as long as the answer is held.
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
            // The same module may stand there twice: whoever asks for a signature is heard.
            let unsigned =
                members.iter().filter(|member| member.module == digest).all(|member| member.unsigned);
            let member = Member { module: digest, unsigned };
            bound.admit(&member)?;
            let bytes = bound.fetch(digest, limits.module_bytes)?;
            held.push(self.install(&bytes, limits, trust, member.unsigned)?.module);
        }
        Ok(held)
    }

    /// Makes a change in the ledger, if there the slot is in this entry still, and then here.
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
        // Whoever follows the ledger may have been faster.
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

    /// Keeps the modules that a change names where every host finds them; those that the entry before it names are there.
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

    /// A host that refuses the latest entry can change nothing about the slot, and its operator would not know why.
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
