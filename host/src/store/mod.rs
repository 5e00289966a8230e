//! The store: modules by digest, slots with their history, trust, tokens and decision records, in one directory.
//!
//! ```text
//! directory (0700) -+- adjudicate.db   SQLite in WAL mode, every commit flushed to the disk
//!                   +- compiled/       sealed compiled code
//! ```
//!
//! This module owns all SQL. Callers decide on the meaning of a change. A change is one transaction, so a process that dies leaves
//! the old state or the new one. Several processes may open the same store.
//!
//! The slots of a store belong to the store, or to a ledger that several hosts share. In the second case the store is bound to that
//! ledger for good. Entries have the ledger's numbers, and without the ledger every change of a slot fails in its transaction.
//! Modules, trust, tokens and records always belong to the host.

mod cluster;
mod differences;
mod followed;
mod modules;
mod needs;
mod opening;
mod records;
mod removal;
mod slots;
mod tokens;
mod trust;

use std::{
    borrow::Cow,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use adjudicate_core::Error;
use adjudicate_sandbox::Cache;
use adjudicate_trust::private::{self, Identity};
use rusqlite::{Connection, OptionalExtension, Params, Row, Transaction, TransactionBehavior, types::Type};
use serde::{Serialize, Serializer};

use opening::{Frozen, OpenDatabase, database_error, refusal, unusable};

pub use differences::{DifferenceList, ShadowDifference};
pub(crate) use followed::EntryOutcome;
pub use modules::{InstalledModule, Uninstalled};
pub use records::RecordRange;
pub use removal::Removals;
pub(crate) use slots::{ActiveVersion, SlotChange, unknown_slot};

use crate::codes;

const DATABASE: &str = "adjudicate.db";
const COMPILED: &str = "compiled";

/// An open store. Clones are cheap and share the state.
#[derive(Clone)]
pub struct Store {
    inner: Arc<StoreState>,
}

struct StoreState {
    directory: PathBuf,
    /// The one connection for changes, so that they wait for each other here and not in SQLite. For a read-only store, the reason.
    writer: Result<Mutex<Connection>, Error>,
    reader: Mutex<Connection>,
    identity: Identity,
    /// Set if the file was opened without SQLite's locks: the state that the file must keep.
    frozen: Option<Frozen>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("directory", &self.inner.directory).finish_non_exhaustive()
    }
}

/// The reason for aborting a transaction.
#[derive(Debug)]
pub(crate) enum Aborted {
    Refused(Error),
    Database(rusqlite::Error),
}

impl From<Error> for Aborted {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl From<rusqlite::Error> for Aborted {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

impl Store {
    /// True if the directory has a store. Does not open it.
    #[must_use]
    pub fn is_in(directory: &Path) -> bool {
        directory.join(DATABASE).exists()
    }

    /// Opens the store in a directory, which is created if it does not exist. A store that cannot be written is opened for reading.
    ///
    /// # Errors
    ///
    /// [`codes::STORE_FAULT`] if the directory cannot be created or is not for its owner alone, or if its database is damaged,
    /// belongs to another program, or has a later version.
    pub fn open(directory: &Path) -> Result<Self, Error> {
        let OpenDatabase { writer, reader, frozen } = OpenDatabase::open(directory)?;
        let path = directory.join(DATABASE);
        let identity = private::identity(&path).map_err(|error| refusal(directory, unusable(error)))?;
        let directory = fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned());
        let writer = writer.map(Mutex::new);
        let inner = StoreState { directory, writer, reader: Mutex::new(reader), identity, frozen };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// True if the files of the store cannot be written, for example on a read-only file system. Every change then fails.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.inner.writer.is_err()
    }

    /// The directory of the store.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.inner.directory
    }

    /// Opens the cache of compiled modules in the store.
    ///
    /// # Errors
    ///
    /// As for [`Cache::open`].
    pub fn cache(&self) -> Result<Cache, Error> {
        Cache::open(&self.inner.directory.join(COMPILED))
    }

    /// Reads in one transaction, so all data is of one moment.
    pub(crate) fn read<T>(
        &self,
        run: impl FnOnce(&Transaction<'_>) -> Result<T, Aborted>,
    ) -> Result<T, Error> {
        self.check_that_it_is_there()?;
        transact(&self.inner.reader, TransactionBehavior::Deferred, run)
    }

    /// Changes the store in one transaction. When this returns `Ok`, the change is on disk; otherwise it did not happen.
    pub(crate) fn write<T>(
        &self,
        run: impl FnOnce(&Transaction<'_>) -> Result<T, Aborted>,
    ) -> Result<T, Error> {
        self.check_that_it_is_there()?;
        let writer = self.inner.writer.as_ref().map_err(Clone::clone)?;
        transact(writer, TransactionBehavior::Immediate, run)
    }

    /// Fails if the database file was removed or replaced. The system would permit further use. But writes would be lost when this
    /// process ends, and changes of other processes, such as a revoked token, would stay invisible.
    fn check_that_it_is_there(&self) -> Result<(), Error> {
        let path = self.inner.directory.join(DATABASE);
        let is_frozen =
            self.inner.frozen.as_ref().is_none_or(|frozen| Frozen::read(&path).as_ref() == Some(frozen));
        if !is_frozen {
            return Err(fault(
                "the store cannot be used: another process changed it, and a read-only store does not notice changes; start again",
            ));
        }
        match private::identity(&path) {
            Ok(identity) if identity == self.inner.identity => Ok(()),
            _ => Err(fault("the store cannot be used: its database was removed or replaced")),
        }
    }

    /// A number that differs after any change of the store, by this process or another. Reading it takes microseconds.
    ///
    /// # Errors
    ///
    /// [`codes::STORE_FAULT`] if the store cannot be read.
    pub fn version(&self) -> Result<i64, Error> {
        // The number of a connection shows the changes of all other connections, and this one makes none.
        let reader = lock(&self.inner.reader);
        let version = reader.query_row("PRAGMA data_version", [], |row| row.get(0));
        version.map_err(|error| store_error(error.into()))
    }
}

/// The version of everything that slots depend on. It changes with each change of a slot or a trust policy, and with nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Generation {
    /// The current entry of each slot, by name. Entries of a ledger may arrive in any order, so their highest number is not enough.
    slots: Vec<i64>,
    /// The highest number that any entry ever had. Only this number shows that a slot was created and deleted since.
    history: i64,
    trust: i64,
}

impl Store {
    pub(crate) fn generation(&self) -> Result<Generation, Error> {
        self.read(|read| {
            let slots = rows(read, "SELECT entry FROM slots ORDER BY name", [], |row| row.get(0))?;
            // A table that never had a row has no number.
            let last = |table: &str| {
                let sql = "SELECT seq FROM sqlite_sequence WHERE name = ?1";
                first_row(read, sql, [table], |row| row.get(0)).map(Option::unwrap_or_default)
            };
            Ok(Generation { slots, history: last("history")?, trust: last("trust")? })
        })
    }
}

/// The connection is usable even after a thread panicked that held the lock, because its transaction was rolled back.
fn lock(connection: &Mutex<Connection>) -> MutexGuard<'_, Connection> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

fn transact<T>(
    connection: &Mutex<Connection>,
    behavior: TransactionBehavior,
    run: impl FnOnce(&Transaction<'_>) -> Result<T, Aborted>,
) -> Result<T, Error> {
    let mut connection = lock(connection);
    let transacted =
        connection.transaction_with_behavior(behavior).map_err(Aborted::from).and_then(|transaction| {
            let value = run(&transaction)?;
            transaction.commit()?;
            Ok(value)
        });
    transacted.map_err(store_error)
}

/// The values of the rows that a query finds.
fn rows<T>(
    read: &Transaction<'_>,
    sql: &str,
    parameters: impl Params,
    value: impl FnMut(&Row<'_>) -> Result<T, rusqlite::Error>,
) -> Result<Vec<T>, rusqlite::Error> {
    read.prepare_cached(sql)?.query_map(parameters, value)?.collect()
}

/// The value of the first row that a query finds; `None` if it finds none.
fn first_row<T>(
    read: &Transaction<'_>,
    sql: &str,
    parameters: impl Params,
    value: impl FnOnce(&Row<'_>) -> Result<T, rusqlite::Error>,
) -> Result<Option<T>, rusqlite::Error> {
    read.prepare_cached(sql)?.query_row(parameters, value).optional()
}

fn store_error(aborted: Aborted) -> Error {
    match aborted {
        Aborted::Refused(error) => error,
        Aborted::Database(error) => database_error(error).within("the store cannot be used"),
    }
}

/// The error for a column whose content this program cannot have written.
pub(crate) fn unreadable(
    column: usize,
    reason: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, reason.into())
}

/// Writes text that is already JSON.
pub(crate) fn as_json<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let value: serde_json::Value = serde_json::from_str(text).map_err(serde::ser::Error::custom)?;
    value.serialize(serializer)
}

pub(crate) fn fault(message: impl Into<Cow<'static, str>>) -> Error {
    Error::new(codes::STORE_FAULT, message)
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    #[test]
    fn a_store_keeps_its_content() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a/store");
        let store = Store::open(&path).unwrap();
        store.write(|change| Ok(change.execute("INSERT INTO trust VALUES (1, '', 2, '{}')", [])?)).unwrap();
        let seen = |store: &Store| {
            store.read(|read| Ok(read.query_row("SELECT at FROM trust", [], |row| row.get::<_, i64>(0))?))
        };
        assert_eq!(seen(&Store::open(&path).unwrap()), Ok(2));
        assert_eq!(seen(&store), Ok(2));
    }

    #[test]
    fn opening_a_store_writes_nothing_and_does_not_wait_for_writers() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store");
        let store = Store::open(&path).unwrap();
        let before = store.version().unwrap();
        let changing: Result<(), Error> = store.write(|change| {
            change.execute("INSERT INTO trust VALUES (1, '', 2, '{}')", [])?;
            // During an unfinished change of another process.
            assert_eq!(Store::open(&path).unwrap().trust(None)?, None);
            Err(fault("given up").into())
        });
        assert!(changing.is_err());
        assert_eq!(store.version(), Ok(before));
    }

    #[test]
    fn a_removed_or_replaced_store_is_not_used() {
        let directory = tempfile::tempdir().unwrap();
        let [path, aside] = ["store", "aside"].map(|name| directory.path().join(name));
        let store = Store::open(&path).unwrap();
        let is_used = || {
            let written = store.write(|_| Ok(())).map_err(|error| error.code());
            assert_eq!(store.read(|_| Ok(())).map_err(|error| error.code()), written);
            written.is_ok()
        };
        assert!(is_used());
        fs::rename(&path, &aside).unwrap();
        assert!(!is_used());
        let other = Store::open(&path).unwrap();
        assert!(!is_used() || cfg!(not(unix)));
        drop(other);
        fs::remove_dir_all(&path).unwrap();
        fs::rename(&aside, &path).unwrap();
        assert!(is_used());
    }

    #[test]
    fn an_aborted_transaction_changes_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path().join("store").as_ref()).unwrap();
        let refused = Error::new(codes::SLOT_CHANGED, "changed");
        let given_up: Result<(), Error> = store.write(|change| {
            change.execute("INSERT INTO trust VALUES (1, '', 2, '{}')", [])?;
            Err(refused.clone().into())
        });
        assert_eq!(given_up, Err(refused));
        let count = |sql: &str| store.read(|read| Ok(read.query_row(sql, [], |row| row.get::<_, i64>(0))?));
        assert_eq!(count("SELECT count(*) FROM trust"), Ok(0));
        assert_eq!(count("SELECT nonsense").unwrap_err().code(), codes::STORE_FAULT);
    }

    #[test]
    fn other_files_are_not_opened_as_a_store() {
        let directory = tempfile::tempdir().unwrap();
        let open =
            |name: &str| Store::open(&directory.path().join(name)).map(drop).map_err(|error| error.code());
        let place = |name: &str| {
            let path = directory.path().join(name);
            private::directory(&path).unwrap();
            private::touch(&path.join(DATABASE)).unwrap();
            path.join(DATABASE)
        };
        std::fs::write(place("garbage"), "this is no database, however long it is ".repeat(100)).unwrap();
        let garbage = Store::open(&directory.path().join("garbage")).unwrap_err();
        assert_eq!(garbage.code(), codes::STORE_FAULT);
        assert!(garbage.source().is_some_and(|source| source.is::<rusqlite::Error>()));
        Connection::open(place("other")).unwrap().execute_batch("CREATE TABLE theirs (a)").unwrap();
        assert_eq!(open("other"), Err(codes::STORE_FAULT));
        let future = place("future");
        open("future").unwrap();
        Connection::open(future).unwrap().pragma_update(None, "user_version", 1000).unwrap();
        assert_eq!(open("future"), Err(codes::STORE_FAULT));
        std::fs::write(directory.path().join("file"), "").unwrap();
        assert_eq!(open("file"), Err(codes::STORE_FAULT));
    }

    #[test]
    fn a_store_below_a_folder_that_others_can_write_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let folder = directory.path().join("shared");
        let open = || Store::open(&folder.join("stores").join("mine")).map(drop);
        open().unwrap();
        let mode = |mode| std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode)).unwrap();
        mode(0o777);
        let error = open().unwrap_err();
        assert!(error.message().contains("other users may write to `"), "{error}");
        assert_eq!(error.code(), codes::STORE_FAULT);
        mode(0o1777);
        open().unwrap();
        mode(0o775);
        open().unwrap();
    }
}
