//! The store: modules by digest, slots with their history, trust, tokens and decision records, in one directory.
//!
//! ```text
//! directory (0700) -+- adjudicate.db   SQLite in WAL mode, every commit flushed to the disk
//!                   +- compiled/       what was compiled here, sealed
//! ```
//!
//! Owns all SQL, and nothing else: what a change means is decided by whoever asks for it. A change is one transaction, so
//! a process that dies leaves the old state or the new one. Several processes may have the same store open.
//!
//! A store's slots are its own, or those of a ledger that several hosts share. Then it is bound to that ledger for good: entries
//! have the numbers that the ledger gave them, and whoever opens the store without it is refused every change of a slot, in the
//! very transaction. Modules, trust, tokens and records are each host's own all the same.

mod blob;
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
use adjudicate_sandbox::{
    Cache,
    private::{self, Identity},
};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, types::Type};
use serde::{Serialize, Serializer};

use opening::{Frozen, Opened, said};

pub(crate) use followed::Taken;
pub use modules::InstalledModule;
pub use records::RecordRange;
pub use removal::Collected;
pub(crate) use slots::{Change, Height, unknown_slot};

use crate::codes;

const DATABASE: &str = "adjudicate.db";
const COMPILED: &str = "compiled";

/// A store that is open. Cheap to clone; all clones are the same store.
///
/// ```
/// use adjudicate_host::Store;
/// let directory = tempfile::tempdir().unwrap();
/// let store = Store::open(&directory.path().join("store"))?;
/// assert!(store.modules()?.is_empty());
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    directory: PathBuf,
    /// Changes go through one connection, so that they wait for each other here and not in SQLite.
    /// Where the store can only be read: why.
    writer: Result<Mutex<Connection>, Error>,
    reader: Mutex<Connection>,
    /// Which file was opened.
    identity: Identity,
    /// Where nobody can be asked who writes: what the file must still be.
    frozen: Option<Frozen>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("directory", &self.inner.directory).finish_non_exhaustive()
    }
}

/// Why a transaction was given up: for a reason of its own, or because of the database.
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
    /// Whether there is a store in a directory. Nothing is opened.
    ///
    /// ```
    /// # use adjudicate_host::Store;
    /// # let directory = tempfile::tempdir().unwrap();
    /// assert!(!Store::is_in(directory.path()));
    /// Store::open(&directory.path().join("store"))?;
    /// assert!(Store::is_in(&directory.path().join("store")));
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn is_in(directory: &Path) -> bool {
        directory.join(DATABASE).exists()
    }

    /// Opens the store in a directory, which is made if it is not there. A store that cannot be written is opened to be read.
    ///
    /// # Errors
    ///
    /// [`codes::STORE_FAULT`] when the directory cannot be made, is not for its owner alone, or holds a database that
    /// is damaged, not ours, or of a later version than this host knows.
    pub fn open(directory: &Path) -> Result<Self, Error> {
        let Opened { writer, reader, frozen } = Opened::open(directory)?;
        let path = directory.join(DATABASE);
        let identity = private::identity(&path).map_err(|error| opening::refusal(directory, &error))?;
        let directory = fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned());
        let writer = writer.map(Mutex::new);
        let inner = Inner { directory, writer, reader: Mutex::new(reader), identity, frozen };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Whether the store can only be read: its files cannot be written, for example on a read-only file system. Whatever changes the
    /// store is refused then.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.inner.writer.is_err()
    }

    /// Where the store is.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.inner.directory
    }

    /// The store's compiled modules.
    ///
    /// # Errors
    ///
    /// As for [`Cache::open`].
    pub fn cache(&self) -> Result<Cache, Error> {
        Cache::open(&self.inner.directory.join(COMPILED))
    }

    /// Reads in one transaction: all that is read is of one moment.
    pub(crate) fn read<T>(
        &self,
        run: impl FnOnce(&Transaction<'_>) -> Result<T, Aborted>,
    ) -> Result<T, Error> {
        self.check_that_it_is_there()?;
        transact(&self.inner.reader, TransactionBehavior::Deferred, run)
    }

    /// Changes something in one transaction, which is on the disk when this returns, or did not happen.
    pub(crate) fn write<T>(
        &self,
        run: impl FnOnce(&Transaction<'_>) -> Result<T, Aborted>,
    ) -> Result<T, Error> {
        self.check_that_it_is_there()?;
        let writer = self.inner.writer.as_ref().map_err(Clone::clone)?;
        transact(writer, TransactionBehavior::Immediate, run)
    }

    /// Refuses to go on with a database that was taken away or replaced. The system would let it: what is written would be
    /// lost when this process ends, and what others write, such as that a token is revoked, would never be seen.
    fn check_that_it_is_there(&self) -> Result<(), Error> {
        let path = self.inner.directory.join(DATABASE);
        let is_frozen =
            self.inner.frozen.as_ref().is_none_or(|frozen| Frozen::of(&path).as_ref() == Some(frozen));
        if !is_frozen {
            return Err(fault(
                "the store cannot be used: another process changes it, which cannot be followed here; start again",
            ));
        }
        match private::identity(&path) {
            Ok(identity) if identity == self.inner.identity => Ok(()),
            _ => Err(fault("the store cannot be used: its database was taken away or replaced")),
        }
    }

    /// A number that differs after any change of the store, by this process or another. Reading it takes microseconds.
    ///
    /// # Errors
    ///
    /// [`codes::STORE_FAULT`].
    ///
    /// ```
    /// use adjudicate_host::{Role, Store};
    /// let directory = tempfile::tempdir().unwrap();
    /// let store = Store::open(&directory.path().join("store"))?;
    /// let before = store.version()?;
    /// assert_eq!(store.version()?, before);
    /// store.create_token("ci", Role::Evaluate, None, 1_000)?;
    /// assert_ne!(store.version()?, before);
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn version(&self) -> Result<i64, Error> {
        // A connection's number tells of the changes of all others, and this one changes nothing itself.
        let reader = lock(&self.inner.reader);
        let version = reader.query_row("PRAGMA data_version", [], |row| row.get(0));
        version.map_err(|error| told(error.into()))
    }
}

/// What slots depend on: another one after each change of a slot or of a trust policy, and after no other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Generation {
    /// The entry of each slot, by name: of one alone, numbers only rise, and those of a ledger come in any order.
    slots: Vec<i64>,
    /// The highest number that an entry ever had. It is the only trace of a slot that was created and deleted since.
    history: i64,
    trust: i64,
}

impl Store {
    /// Which changes there were.
    pub(crate) fn generation(&self) -> Result<Generation, Error> {
        self.read(|read| {
            let mut slots = read.prepare_cached("SELECT entry FROM slots ORDER BY name")?;
            let slots = slots.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
            let mut found = read.prepare_cached("SELECT seq FROM sqlite_sequence WHERE name = ?1")?;
            // A table that never had a row has no line there.
            let mut last = |table: &str| {
                let last = found.query_row([table], |row| row.get(0)).optional();
                last.map(Option::unwrap_or_default)
            };
            Ok(Generation { slots, history: last("history")?, trust: last("trust")? })
        })
    }
}

/// A connection is whole whatever happened to the thread that held the lock: its transaction was rolled back.
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
    transacted.map_err(told)
}

fn told(aborted: Aborted) -> Error {
    match aborted {
        Aborted::Refused(error) => error,
        Aborted::Database(error) => fault(format!("the store cannot be used: {}", said(&error))),
    }
}

/// A column whose content cannot be what was written.
pub(crate) fn unreadable(
    column: usize,
    reason: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, reason.into())
}

/// Writes what is JSON text already.
pub(crate) fn as_json<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let value: serde_json::Value = serde_json::from_str(text).map_err(serde::ser::Error::custom)?;
    value.serialize(serializer)
}

pub(crate) fn fault(message: impl Into<Cow<'static, str>>) -> Error {
    Error::new(codes::STORE_FAULT, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_found_again_as_it_was_left() {
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
    fn who_opens_a_store_changes_nothing_and_waits_for_no_change() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("store");
        let store = Store::open(&path).unwrap();
        let before = store.version().unwrap();
        let changing: Result<(), Error> = store.write(|change| {
            change.execute("INSERT INTO trust VALUES (1, '', 2, '{}')", [])?;
            // While somebody changes it, and has not finished.
            assert_eq!(Store::open(&path).unwrap().trust(None)?, None);
            Err(fault("given up").into())
        });
        assert!(changing.is_err());
        assert_eq!(store.version(), Ok(before));
    }

    #[test]
    fn a_store_that_was_taken_away_or_replaced_is_not_used() {
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
    fn what_was_given_up_did_not_happen() {
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
    fn what_is_no_store_of_ours_is_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let open =
            |name: &str| Store::open(&directory.path().join(name)).map(drop).map_err(|error| error.code());
        let place = |name: &str| {
            let path = directory.path().join(name);
            private::directory(&path).unwrap();
            path.join(DATABASE)
        };
        std::fs::write(place("garbage"), "this is no database, however long it is ".repeat(100)).unwrap();
        assert_eq!(open("garbage"), Err(codes::STORE_FAULT));
        Connection::open(place("other")).unwrap().execute_batch("CREATE TABLE theirs (a)").unwrap();
        assert_eq!(open("other"), Err(codes::STORE_FAULT));
        let future = place("future");
        open("future").unwrap();
        Connection::open(future).unwrap().pragma_update(None, "user_version", 1000).unwrap();
        assert_eq!(open("future"), Err(codes::STORE_FAULT));
        std::fs::write(directory.path().join("file"), "").unwrap();
        assert_eq!(open("file"), Err(codes::STORE_FAULT));
    }
}
