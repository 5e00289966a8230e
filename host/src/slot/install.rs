//! Installs modules, so that slots can activate them, and sets the trust policies of this host. Hosts do not share the policies.

use adjudicate_core::{Error, document::Describe};
use adjudicate_sandbox::{Limits, Module, inspect};
use adjudicate_trust::{Credentials, TrustAction, TrustPolicy};
use serde::Serialize;

use super::{
    loader::{Loader, judge, now},
    registry::Slots,
};
use crate::{
    history::{SlotSettings, check_name},
    store::InstalledModule,
};

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
        let loader = self.loader();
        let settings = match &terms.slot {
            Some(name) => self.store().slot(name)?.settings,
            None => SlotSettings::default(),
        };
        let trust = loader.trust(terms.slot.as_deref())?;
        let limits = settings.limits(loader.host.limits());
        let (_, installed) = loader.install(module, limits, &trust, terms.unsigned)?;
        if let Some(binding) = &loader.binding {
            binding.ledger.store_module(installed.module.digest, module)?;
        }
        Ok(installed)
    }
}

impl Loader {
    /// See [`Slots::install`]. Also returns the loaded module.
    pub(super) fn install(
        &self,
        bytes: &[u8],
        limits: Limits,
        trust: &TrustPolicy,
        unsigned: bool,
    ) -> Result<(Module, Installed), Error> {
        limits.admit_bytes(bytes)?;
        let verdict = judge(trust, &Credentials::read(bytes)?, unsigned, TrustAction::Install, None)?;
        let inspection = inspect(bytes)?;
        limits.admit(&inspection)?;
        let loaded = self.shared.module(inspection.digest, &limits, || self.host.load_with(bytes, limits))?;
        let tests = loaded.pass_tests()?;
        let is_new = self.store.store_module(&inspection, bytes, &verdict.to_json(), now())?;
        let module = self.store.module(inspection.digest)?;
        Ok((loaded, Installed { module, is_new, tests }))
    }
}

impl Slots {
    /// Sets the trust policy of a slot, or of all slots without one of their own. Active modules that are no longer trusted stop
    /// answering. If hosts share slots, each host has its own policies, also for slots that it does not have yet.
    ///
    /// # Errors
    ///
    /// The errors of the document; [`unknown_slot`](crate::codes::UNKNOWN_SLOT); those of the store.
    pub fn set_trust(&self, slot: Option<&str>, document: &str) -> Result<(), Error> {
        self.check_trust_target(slot)?;
        TrustPolicy::parse(document.as_bytes())?;
        self.store_trust(slot, document)
    }

    /// Removes a slot's own trust policy. From then on the policy of all slots applies.
    ///
    /// # Errors
    ///
    /// [`unknown_slot`](crate::codes::UNKNOWN_SLOT); those of the store.
    pub fn unset_trust(&self, slot: &str) -> Result<(), Error> {
        self.check_trust_target(Some(slot))?;
        self.store_trust(Some(slot), "")
    }

    /// Rejects an unknown slot. If hosts share slots, a policy may exist before its slot: otherwise this host could never trust the
    /// slot's first entry.
    fn check_trust_target(&self, slot: Option<&str>) -> Result<(), Error> {
        match slot {
            Some(name) if self.store().cluster_id()?.is_some() => check_name(name),
            Some(name) => self.slot(name).map(drop),
            None => Ok(()),
        }
    }

    fn store_trust(&self, slot: Option<&str>, document: &str) -> Result<(), Error> {
        self.store().store_trust(slot, document, now())?;
        self.inner.refresh();
        Ok(())
    }

    /// The text of the trust policy that applies to a slot: its own, or the policy of all slots without one. `None` if there is
    /// neither, and no key is trusted.
    ///
    /// # Errors
    ///
    /// [`unknown_slot`](crate::codes::UNKNOWN_SLOT); those of the store.
    pub fn trust(&self, slot: Option<&str>) -> Result<Option<String>, Error> {
        self.check_trust_target(slot)?;
        self.store().trust(slot)
    }
}
