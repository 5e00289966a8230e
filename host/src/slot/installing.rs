//! Installing modules, so that slots can have them in force.

use adjudicate_core::Error;
use serde::Serialize;

use super::{loader::Loader, registry::Slots};
use crate::{history::SlotSettings, store::InstalledModule};

/// On which terms a module is installed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// The slot whose trust policy and limits count; without one, the store's policy and the host's limits.
    pub slot: Option<String>,
    /// Whether it needs no signature: for local development.
    pub unsigned: bool,
}

/// A module that was installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Installed {
    /// The module, as the store has it.
    pub module: InstalledModule,
    /// Whether the store did not have it before.
    pub is_new: bool,
    /// How many tests of its own it passed.
    pub tests: usize,
}

impl Slots {
    /// Installs a module: checks it, judges whether it is trusted, compiles it, runs the tests that it brings, and keeps
    /// it. Nothing is put in force by that.
    ///
    /// # Errors
    ///
    /// The `module_*` code of whatever is wrong with it, or why it is not trusted; those of the store. Where several hosts share
    /// slots, the module is kept in their ledger, too: [`cluster_fault`](crate::codes::CLUSTER_FAULT) if it is only
    /// here.
    pub fn install(&self, module: &[u8], terms: &Terms) -> Result<Installed, Error> {
        let loader @ Loader { store, host, bound, .. } = &self.inner.loader;
        let settings = match &terms.slot {
            Some(name) => store.slot(name)?.settings,
            None => SlotSettings::default(),
        };
        let trust = loader.trust(terms.slot.as_deref())?;
        let limits = settings.limits(host.limits());
        let fresh = loader.install(module, limits, &trust.policy, terms.unsigned)?;
        let digest = fresh.module.digest();
        if let Some(bound) = bound {
            bound.ledger.keep_module(digest, module)?;
        }
        Ok(Installed { module: store.module(digest)?, is_new: fresh.is_new, tests: fresh.tests })
    }
}
