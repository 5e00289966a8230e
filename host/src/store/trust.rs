//! Trust policies: one for the store, and one for each slot with its own. Earlier policies stay in the store.

use adjudicate_core::Error;
use rusqlite::params;

use super::{Store, first_row};

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
            let sql = "SELECT document FROM trust WHERE slot = ?1 ORDER BY id DESC LIMIT 1";
            let of = |slot: &str| first_row(read, sql, [slot], |row| row.get::<_, String>(0));
            let own = match slot {
                Some(slot) => of(slot)?.filter(|document| !document.is_empty()),
                None => None,
            };
            Ok(if own.is_some() { own } else { of("")? })
        })
    }
}
