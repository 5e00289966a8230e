//! Whom slots trust: policies that this host has for them, whoever else shares the slots.

use adjudicate_core::Error;

use super::{loader::now, registry::Slots};
use crate::{history::check_name, trust::TrustPolicy};

impl Slots {
    /// Puts a trust policy in force, for a slot, or for all slots that have none of their own. What is active and not trusted
    /// any more stops deciding. Of slots that several hosts share, each host has its own policies, also for one that it does not
    /// have yet.
    ///
    /// # Errors
    ///
    /// What is wrong with the document; [`unknown_slot`](crate::codes::UNKNOWN_SLOT); those of the store.
    pub fn set_trust(&self, slot: Option<&str>, document: &str) -> Result<(), Error> {
        self.check_trusting(slot)?;
        TrustPolicy::parse(document.as_bytes())?;
        self.keep_trust(slot, document)
    }

    /// Takes a slot's own trust policy away: from then on that of all slots counts.
    ///
    /// # Errors
    ///
    /// [`unknown_slot`](crate::codes::UNKNOWN_SLOT); those of the store.
    pub fn unset_trust(&self, slot: &str) -> Result<(), Error> {
        self.check_trusting(Some(slot))?;
        self.keep_trust(Some(slot), "")
    }

    /// Refuses the name of a slot that is not there. Where several hosts share slots, each has its own trust policies for them,
    /// and may have them before the slot comes: otherwise it could never be trusted here.
    fn check_trusting(&self, slot: Option<&str>) -> Result<(), Error> {
        match slot {
            Some(name) if self.store().cluster_id()?.is_some() => check_name(name),
            Some(name) => self.slot(name).map(drop),
            None => Ok(()),
        }
    }

    fn keep_trust(&self, slot: Option<&str>, document: &str) -> Result<(), Error> {
        self.store().keep_trust(slot, document, now())?;
        self.inner.refresh();
        Ok(())
    }

    /// The trust policy in force for a slot, as it was written: its own, or that of all slots that have none; `None` if
    /// there is neither, and nobody is trusted.
    ///
    /// # Errors
    ///
    /// [`unknown_slot`](crate::codes::UNKNOWN_SLOT); those of the store.
    pub fn trust(&self, slot: Option<&str>) -> Result<Option<String>, Error> {
        self.check_trusting(slot)?;
        self.store().trust(slot)
    }
}
