//! Installs modules, so that slots can activate them.

use adjudicate_core::{Error, document::Describe};
use serde::Serialize;

use super::{loader::Loader, registry::Slots};
use crate::{history::SlotSettings, store::InstalledModule};

/// The terms of an installation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstallOptions {
    /// The slot whose trust policy and limits apply. Without a slot, the store's policy and the host's limits apply.
    pub slot: Option<String>,
    /// True if the module needs no signature, for local development.
    pub unsigned: bool,
}

/// An installed module.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
pub struct Installed {
    /// The module in the store.
    pub module: InstalledModule,
    /// True if the store did not have the module before.
    pub is_new: bool,
    /// The number of the module's own tests, all of which passed.
    pub tests: usize,
}

impl Slots {
    /// Installs a module: checks it, judges its trust, compiles it, runs its own tests, and stores it. Nothing becomes active.
    ///
    /// # Errors
    ///
    /// The `module_*` code of the fault or of the missing trust; those of the store. If hosts share slots, the module is also
    /// stored in their ledger: [`cluster_fault`](crate::codes::CLUSTER_FAULT) if only this host has it.
    pub fn install(&self, module: &[u8], terms: &InstallOptions) -> Result<Installed, Error> {
        let loader @ Loader { store, host, binding, .. } = &self.inner.loader;
        let settings = match &terms.slot {
            Some(name) => store.slot(name)?.settings,
            None => SlotSettings::default(),
        };
        let trust = loader.trust(terms.slot.as_deref())?;
        let limits = settings.limits(host.limits());
        let fresh = loader.install(module, limits, &trust.policy, terms.unsigned)?;
        let digest = fresh.module.digest();
        if let Some(binding) = binding {
            binding.ledger.store_module(digest, module)?;
        }
        Ok(Installed { module: store.module(digest)?, is_new: fresh.is_new, tests: fresh.tests })
    }
}
