//! Stores that belong to a ledger: its id, and the id of this host.

use adjudicate_core::{Error, module::hex};
use rusqlite::{Transaction, params};

use super::{Store, fault, first_row};
use crate::codes;

impl Store {
    /// The id of the ledger to which the slots of this store belong; `None` if they belong to no ledger.
    ///
    /// # Errors
    ///
    /// [`store_fault`](crate::codes::STORE_FAULT) if the store cannot be read.
    pub fn cluster_id(&self) -> Result<Option<String>, Error> {
        self.read(|read| Ok(cluster(read)?))
    }

    /// The id of this host among those that share the slots: `h-` and 16 hexadecimal digits, drawn at random when the store joined
    /// the ledger. `None` if the slots belong to no ledger.
    ///
    /// # Errors
    ///
    /// [`store_fault`](crate::codes::STORE_FAULT) if the store cannot be read.
    pub fn host_id(&self) -> Result<Option<String>, Error> {
        self.read(|read| Ok(first_row(read, "SELECT host FROM cluster", [], |row| row.get(0))?))
    }

    /// Binds the slots of this store to a ledger. Does nothing if they already belong to it. Rejects a store with slots of its own or
    /// of another ledger.
    pub(crate) fn bind(&self, ledger: &str) -> Result<(), Error> {
        if self.cluster_id()?.as_deref() == Some(ledger) {
            return Ok(());
        }
        let mut drawn = [0; 8];
        getrandom::fill(&mut drawn).map_err(|error| {
            let message = "the system gives no random number for the id of this host";
            Error::caused_by(codes::STORE_FAULT, message, error)
        })?;
        let host = format!("h-{}", hex(&drawn));
        self.write(|change| {
            if cluster(change)?.is_some() {
                return check(change, Some(ledger));
            }
            if change.prepare("SELECT 1 FROM history")?.exists([])? {
                let message = format!(
                    "this store has slots of its own, so it cannot join the cluster `{}`; use another store",
                    shown(ledger)
                );
                return Err(Error::new(codes::WRONG_USAGE, message).into());
            }
            change
                .execute("INSERT INTO cluster (only, id, host) VALUES (1, ?1, ?2)", params![ledger, host])?;
            Ok(())
        })
    }
}

/// Rejects a change of a slot without its ledger, or with another ledger.
pub(super) fn check(read: &Transaction<'_>, ledger: Option<&str>) -> Result<(), super::Aborted> {
    let bound = cluster(read)?;
    let message = match (bound.as_deref(), ledger) {
        (bound, ledger) if bound == ledger => return Ok(()),
        (Some(bound), None) => {
            format!(
                "the slots of this store belong to the cluster `{}`; to change them, pass --nats",
                shown(bound)
            )
        }
        (Some(bound), Some(ledger)) => format!(
            "the slots of this store belong to the cluster `{}`, and this is the cluster `{}`; use another store",
            shown(bound),
            shown(ledger)
        ),
        (None, _) => return Err(fault("the store no longer has the id of its cluster").into()),
    };
    Err(Error::new(codes::WRONG_USAGE, message).into())
}

pub(super) fn cluster(read: &Transaction<'_>) -> Result<Option<String>, rusqlite::Error> {
    first_row(read, "SELECT id FROM cluster", [], |row| row.get(0))
}

pub(super) fn shown(id: &str) -> String {
    id.chars().take(100).collect()
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;
    use adjudicate_sandbox::Digest;
    use adjudicate_trust::private;

    /// The tables of the first version. A released migration is never changed.
    const FIRST: &str = include_str!("schema.sql");
    const FIRST_DIGEST: &str = "sha256:62881345652b683aa2672433e13167f1ab4743c36171c3095ad60fa1cead7bb1";

    #[test]
    fn a_store_of_the_first_version_is_migrated_with_its_content() {
        assert_eq!(Digest::sha256(FIRST.as_bytes()).to_string(), FIRST_DIGEST);
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store");
        private::directory(&path).unwrap();
        private::touch(&path.join("adjudicate.db")).unwrap();
        let old = Connection::open(path.join("adjudicate.db")).unwrap();
        old.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0)).unwrap();
        old.execute_batch(FIRST).unwrap();
        old.execute_batch(
            r#"INSERT INTO history VALUES (1, 'release', 5, 'configure', '', '{}', '{"on_fault":"error","limits":{}}');
            INSERT INTO history VALUES (2, 'release', 6, 'configure', 'why', '{}', '{"on_fault":"last_good","limits":{}}');
            INSERT INTO slots VALUES ('release', 2);
            INSERT INTO heights VALUES ('release', 'gate', '1.2.3');
            INSERT INTO trust VALUES (1, '', 7, '{}');
            INSERT INTO records VALUES ('b', 1, 8, zeroblob(32), '{}'), ('a', 1, 8, zeroblob(32), '{}'),
                ('b', 2, 8, zeroblob(32), '{}'), ('a.c', 1, 8, zeroblob(32), '{}');
            PRAGMA application_id = 0x61646a75; PRAGMA user_version = 1;"#,
        )
        .unwrap();
        drop(old);

        let store = Store::open(&path).unwrap();
        let version =
            store.read(|read| Ok(read.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0))?));
        assert_eq!(version, Ok(3));
        let history = store.history("release", 10).unwrap();
        let entries: Vec<_> = history.iter().map(|entry| (entry.id, entry.at, entry.note.as_str())).collect();
        assert_eq!(entries, [(2, 6, "why"), (1, 5, "")]);
        assert!(history.iter().all(|entry| store.is_judged(entry) == Ok(true)));
        assert_eq!(store.slot("release").unwrap().id, 2);
        assert_eq!(
            store.height("release", "gate").unwrap().map(|height| height.to_string()).as_deref(),
            Some("1.2.3")
        );
        assert_eq!(store.trust(None).unwrap().as_deref(), Some("{}"));
        assert_eq!(store.recorded_slots().unwrap(), ["a", "a.c", "b"]);
        assert_eq!((store.cluster_id(), store.host_id()), (Ok(None), Ok(None)));
        // The store has slots of its own.
        assert_eq!(store.bind("one").map_err(|error| error.code()), Err(codes::WRONG_USAGE));
        let entry = store.slot("release").unwrap();
        let taken = store.store_entry("one", &entry, None, &[]).map_err(|error| error.code());
        assert_eq!(taken, Err(codes::STORE_FAULT));
    }

    #[test]
    fn a_store_is_bound_once_and_keeps_its_host_id() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store");
        let store = Store::open(&path).unwrap();
        assert_eq!(store.recorded_slots(), Ok(Vec::new()));
        store.bind("one").unwrap();
        let host = store.host_id().unwrap().unwrap();
        let digits = host.strip_prefix("h-").unwrap();
        assert!(
            digits.len() == 16 && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')),
            "{host}"
        );
        let again = Store::open(&path).unwrap();
        assert_eq!(again.bind("one"), Ok(()));
        let error = again.bind("two").unwrap_err();
        assert_eq!(error.code(), codes::WRONG_USAGE);
        assert!(error.message().contains("`one`") && error.message().contains("`two`"), "{error}");
        assert_eq!((again.host_id(), again.cluster_id()), (Ok(Some(host)), Ok(Some("one".to_owned()))));
    }
}
