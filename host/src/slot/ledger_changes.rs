//! Changes of slots in the ledger, and modules from it.

use adjudicate_core::Error;
use adjudicate_sandbox::{Digest, Module};
use adjudicate_trust::TrustPolicy;

use super::{ledger::Proposed, ledger_binding::LedgerBinding, loader::Loader};
use crate::{
    codes,
    history::{ComposedModule, Composition, SlotEntry, SlotSettings},
    store::{ActiveVersion, EntryOutcome},
};

impl Loader {
    /// Installs the members of compositions that the store does not have, from the ledger and by the rules of this host. The loaded
    /// modules stay in memory as long as the caller keeps the result.
    pub(super) fn fetch<'a>(
        &self,
        compositions: impl Iterator<Item = &'a Composition>,
        settings: &SlotSettings,
        trust: &TrustPolicy,
    ) -> Result<Vec<Module>, Error> {
        let Some(binding) = &self.binding else { return Ok(Vec::new()) };
        let members: Vec<_> = compositions.flat_map(Composition::members).collect();
        let lacking = self.store.lacks(members.iter().map(|member| member.module))?;
        let limits = settings.limits(self.host.limits());
        let mut held = Vec::new();
        for digest in lacking {
            // The list may name a module twice. If one of the two entries needs a signature, the module needs one.
            let unsigned =
                members.iter().filter(|member| member.module == digest).all(|member| member.unsigned);
            let member = ComposedModule { module: digest, unsigned };
            binding.admit(&member)?;
            let bytes = binding.fetch(digest, limits.module_bytes)?;
            held.push(self.install(&bytes, limits, trust, member.unsigned)?.module);
        }
        Ok(held)
    }

    /// Makes a change in the ledger, if the slot is still in this entry there, and then on this host.
    pub(super) fn put(
        &self,
        binding: &LedgerBinding,
        slot: &str,
        before: Option<&SlotEntry>,
        proposed: &Proposed<'_>,
        active_versions: &[ActiveVersion],
    ) -> Result<SlotEntry, Error> {
        self.keep_modules(binding, before, proposed)?;
        let before = before.map(|entry| entry.id);
        let id = binding.ledger.put(slot, before, proposed).map_err(|error| self.explained(slot, error))?;
        let Proposed { at, action, note, state, settings } = *proposed;
        let (slot, note) = (slot.to_owned(), note.to_owned());
        let entry =
            SlotEntry { id, slot, at, action, note, state: state.clone(), settings: settings.clone() };
        if before.is_some_and(|before| id <= before) {
            return Err(unordered(&entry));
        }
        // The follower of the ledger may have stored the entry already.
        match self.store.store_entry(binding.ledger.id(), &entry, before, active_versions) {
            Ok(EntryOutcome::Active | EntryOutcome::Superseded) => {
                self.problems.settle(&entry.slot, entry.id);
                Ok(entry)
            }
            Ok(EntryOutcome::Stale) => Err(unordered(&entry)),
            Err(error) => {
                let message = format!(
                    "the change is entry {id} of the cluster and becomes active here when the store can be written again: {}",
                    error.message()
                );
                Err(Error::new(error.code(), message))
            }
        }
    }

    /// Keeps the modules of a change in the ledger, for every host. The modules of the entry before are already there.
    fn keep_modules(
        &self,
        binding: &LedgerBinding,
        before: Option<&SlotEntry>,
        proposed: &Proposed<'_>,
    ) -> Result<(), Error> {
        let modules = |entry: &SlotEntry| -> Vec<Digest> {
            entry.state.compositions().flat_map(Composition::members).map(|member| member.module).collect()
        };
        let mut known = before.map(modules).unwrap_or_default();
        for member in proposed.state.compositions().flat_map(Composition::members) {
            if !known.contains(&member.module) {
                binding.ledger.store_module(member.module, &self.store.module_bytes(member.module)?)?;
                known.push(member.module);
            }
        }
        Ok(())
    }

    /// Explains to the operator why a host that rejects the latest entry cannot change the slot.
    fn explained(&self, slot: &str, error: Error) -> Error {
        match self.problems.refused(slot) {
            Some((id, refusal)) if error.code() == codes::SLOT_CHANGED => {
                let message = format!(
                    "the slot is in entry {id} in the cluster, which this host rejects: {}; nothing was changed",
                    refusal.message()
                );
                Error::new(codes::SLOT_CHANGED, message)
            }
            _ => error,
        }
    }
}

fn unordered(entry: &SlotEntry) -> Error {
    let message = format!("the ledger gave the change the number {}, which is not the next one", entry.id);
    Error::new(codes::CLUSTER_FAULT, message)
}
