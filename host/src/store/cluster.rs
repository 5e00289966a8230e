//! Stores whose slots are those of a ledger that several hosts share: which ledger that is, and what this host is called there.

use std::fmt::Write as _;

use adjudicate_core::{Error, ErrorCode};
use rusqlite::{OptionalExtension, Transaction, params};

use super::{Store, fault};

impl Store {
    /// The ledger that the slots of this store are those of; `None` where they are its own.
    ///
    /// # Errors
    ///
    /// [`StoreFault`](ErrorCode::StoreFault).
    pub fn cluster_id(&self) -> Result<Option<String>, Error> {
        self.read(|read| Ok(cluster(read)?))
    }

    /// What this host is called among those that share its slots: `h-` and 16 hexadecimal digits, which it drew when it joined;
    /// `None` where slots are its own.
    ///
    /// ```
    /// # use adjudicate_host::Store;
    /// # let directory = tempfile::tempdir().unwrap();
    /// let store = Store::open(&directory.path().join("store"))?;
    /// assert_eq!((store.host_id()?, store.cluster_id()?), (None, None));
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`StoreFault`](ErrorCode::StoreFault).
    pub fn host_id(&self) -> Result<Option<String>, Error> {
        self.read(|read| Ok(read.query_row("SELECT host FROM cluster", [], |row| row.get(0)).optional()?))
    }

    /// Makes the slots of this store those of a ledger. Done again, it changes nothing.
    ///
    /// # Errors
    ///
    /// [`WrongUsage`](ErrorCode::WrongUsage) for a store that has slots of its own, or those of another ledger;
    /// [`StoreFault`](ErrorCode::StoreFault).
    pub(crate) fn bind(&self, ledger: &str) -> Result<(), Error> {
        if self.cluster_id()?.as_deref() == Some(ledger) {
            return Ok(());
        }
        let host = host_id()?;
        self.write(|change| {
            if cluster(change)?.is_some() {
                return Ok(check(change, Some(ledger))?);
            }
            let has_slots: bool =
                change.query_row("SELECT EXISTS (SELECT 1 FROM history)", [], |row| row.get(0))?;
            if has_slots {
                let message = format!(
                    "this store has slots of its own, so it cannot take those of the cluster `{}`: use another store",
                    shown(ledger)
                );
                return Err(Error::new(ErrorCode::WrongUsage, message).into());
            }
            change.execute("INSERT INTO cluster (only, id, host) VALUES (1, ?1, ?2)", params![ledger, host])?;
            Ok(())
        })
    }
}

/// Refuses a change of slots that are those of a ledger to whoever does not go by it, and to whoever goes by another one.
pub(super) fn check(read: &Transaction<'_>, ledger: Option<&str>) -> Result<(), super::Aborted> {
    let bound = cluster(read)?;
    let message = match (bound.as_deref(), ledger) {
        (bound, ledger) if bound == ledger => return Ok(()),
        (Some(bound), None) => {
            format!("the slots of this store are those of the cluster `{}`: say --nats", shown(bound))
        }
        (Some(bound), Some(ledger)) => format!(
            "the slots of this store are those of the cluster `{}`, and this one is the cluster `{}`: use another store",
            shown(bound),
            shown(ledger)
        ),
        (None, _) => return Err(fault("the store forgot which cluster its slots are those of").into()),
    };
    Err(Error::new(ErrorCode::WrongUsage, message).into())
}

fn cluster(read: &Transaction<'_>) -> Result<Option<String>, rusqlite::Error> {
    read.prepare_cached("SELECT id FROM cluster")?.query_row([], |row| row.get(0)).optional()
}

fn host_id() -> Result<String, Error> {
    let mut drawn = [0; 8];
    getrandom::fill(&mut drawn)
        .map_err(|error| fault(format!("no name can be drawn for this host: {error}")))?;
    let mut id = "h-".to_owned();
    for byte in drawn {
        let _ = write!(id, "{byte:02x}");
    }
    Ok(id)
}

fn shown(id: &str) -> String {
    id.chars().take(100).collect()
}
