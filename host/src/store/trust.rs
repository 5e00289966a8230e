//! Trust policies: one for the store, and one for each slot that has its own. Old ones are kept.

use adjudicate_core::Error;
use rusqlite::{OptionalExtension, params};

use super::Store;

impl Store {
    /// Puts a trust policy in force, for a slot or, without a name, for all that have none of their own.
    pub(crate) fn keep_trust(&self, slot: Option<&str>, document: &str, now: i64) -> Result<(), Error> {
        self.write(|change| {
            change.execute(
                "INSERT INTO trust (slot, at, document) VALUES (?1, ?2, ?3)",
                params![slot.unwrap_or_default(), now, document],
            )?;
            Ok(())
        })
    }

    /// The trust policy that is in force for a slot, as it was written: its own, or the store's. `None` if there is neither.
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
