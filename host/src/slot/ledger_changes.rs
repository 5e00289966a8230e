//! Changes of slots in the ledger, and modules from it.

use adjudicate_core::Error;
use adjudicate_sandbox::Module;
use adjudicate_trust::TrustPolicy;

use super::{
    ledger::{LedgerBinding, Proposed},
    loader::{Loader, now},
};
use crate::{
    codes,
    history::{ComposedModule, Composition, SlotEntry, SlotSettings},
    store::{EntryOutcome, SlotChange},
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
            held.push(self.install(&bytes, limits, trust, member.unsigned)?.0);
        }
        Ok(held)
    }

    /// Makes a change in the ledger, if the slot is still in the entry `before` there, and then on this host.
    pub(super) fn put(
        &self,
        binding: &LedgerBinding,
        slot: &str,
        before: Option<&SlotEntry>,
        change: SlotChange,
    ) -> Result<SlotEntry, Error> {
        let SlotChange { action, note, state, settings, active_versions } = change;
        // Every host needs the modules. Those of the entry before are already in the ledger.
        let mut known: Vec<_> = before.iter().flat_map(|before| before.state.modules()).collect();
        for module in state.modules() {
            if !known.contains(&module) {
                binding.ledger.store_module(module, &self.store.module_bytes(module)?)?;
                known.push(module);
            }
        }
        let (at, before) = (now(), before.map(|entry| entry.id));
        let proposed = Proposed { at, action, note: &note, state: &state, settings: &settings };
        let id = binding.ledger.put(slot, before, &proposed).map_err(|error| self.explained(slot, error))?;
        let entry = SlotEntry { id, slot: slot.to_owned(), at, action, note, state, settings };
        if before.is_some_and(|before| id <= before) {
            return Err(unordered(&entry));
        }
        // The follower of the ledger may have stored the entry already.
        match self.store.store_entry(binding.ledger.id(), &entry, before, &active_versions) {
            Ok(EntryOutcome::Active | EntryOutcome::Superseded) => {
                self.problems.settle(&entry.slot, entry.id);
                Ok(entry)
            }
            Ok(EntryOutcome::Stale) => Err(unordered(&entry)),
            Err(error) => Err(error.within(&format!(
                "the change is entry {id} of the cluster and becomes active here when the store can be written again"
            ))),
        }
    }

    /// Explains to the operator why a host that rejects the latest entry cannot change the slot.
    fn explained(&self, slot: &str, error: Error) -> Error {
        match self.problems.refused(slot) {
            Some(refused) if error.code() == codes::SLOT_CHANGED => {
                let message = format!(
                    "the slot is in entry {} in the cluster, which this host rejects: {}; nothing was changed",
                    refused.entry.id,
                    refused.error.message()
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
