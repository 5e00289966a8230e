//! The trust policies of slots on this host. Hosts do not share them.

use adjudicate_core::Error;
use adjudicate_trust::TrustPolicy;

use super::{loader::now, registry::Slots};
use crate::history::check_name;

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
