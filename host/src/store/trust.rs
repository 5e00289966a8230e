//! Trust policies: one for the store, and one for each slot with its own. Earlier policies stay in the store.

use adjudicate_core::Error;
use rusqlite::{OptionalExtension, params};

use super::Store;

impl Store {
    /// Stores a trust policy for a slot, or without a name, for all slots without one of their own.
    pub(crate) fn store_trust(&self, slot: Option<&str>, document: &str, now: i64) -> Result<(), Error> {
        self.write(|change| {
            change.execute(
                "INSERT INTO trust (slot, at, document) VALUES (?1, ?2, ?3)",
                params![slot.unwrap_or_default(), now, document],
            )?;
            Ok(())
        })
    }

    /// The text of the trust policy that applies to a slot: its own, or the store's. `None` if there is neither.
    pub(crate) fn trust(&self, slot: Option<&str>) -> Result<Option<String>, Error> {
        self.read(|read| {
            let mut last =
                read.prepare_cached("SELECT document FROM trust WHERE slot = ?1 ORDER BY id DESC LIMIT 1")?;
            let mut of = |slot: &str| last.query_row([slot], |row| row.get::<_, String>(0)).optional();
            let own = match slot {
                Some(slot) => of(slot)?.filter(|document| !document.is_empty()),
                None => None,
            };
            Ok(if own.is_some() { own } else { of("")? })
        })
    }
}
