//! Opens the database for changes, or for reading if it cannot be written.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use adjudicate_core::Error;
use adjudicate_trust::private;
use rusqlite::{Connection, OpenFlags, TransactionBehavior, ffi};

use super::{Aborted, DATABASE, fault};

/// The mark of this project's databases: `adju`.
const APPLICATION: i32 = 0x6164_6a75;

/// The migrations from one version to the next. The version of a database is the number of its migrations.
const MIGRATIONS: [&str; 3] =
    [include_str!("schema.sql"), include_str!("cluster.sql"), include_str!("removed.sql")];

/// The longest wait for the transaction of another process.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) struct OpenDatabase {
    /// The connection for changes, or for a read-only database, the reason.
    pub(super) writer: Result<Connection, Error>,
    pub(super) reader: Connection,
    pub(super) frozen: Option<Frozen>,
}

/// The state of a database file that is read without SQLite's locks, which need write access. If the state is unchanged, the file
/// was not written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Frozen {
    bytes: u64,
    modified: Option<SystemTime>,
}

impl Frozen {
    /// Reads the state of a database; `None` if its log has changes.
    pub(super) fn read(path: &Path) -> Option<Self> {
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        if fs::metadata(PathBuf::from(log)).is_ok_and(|log| log.len() > 0) {
            return None;
        }
        let about = fs::metadata(path).ok()?;
        Some(Self { bytes: about.len(), modified: about.modified().ok() })
    }
}

/// Returns the error for a store that cannot be opened.
pub(super) fn refusal(directory: &Path, reason: Error) -> Error {
    reason.within(&format!("the store `{}` cannot be opened", directory.display()))
}

impl OpenDatabase {
    /// Opens the database in a directory. Both are created if they do not exist.
    pub(super) fn open(directory: &Path) -> Result<Self, Error> {
        let error = match Self::to_write(directory) {
            Ok(opened) => return Ok(opened),
            // Another process writes, so the database can be written later.
            Err(Aborted::Database(error))
                if error.sqlite_error_code() == Some(ffi::ErrorCode::DatabaseBusy) =>
            {
                return Err(refusal(directory, database_error(error)));
            }
            Err(Aborted::Database(error)) => database_error(error),
            Err(Aborted::Refused(error)) => error,
        };
        let (reader, frozen) = to_read(directory).ok_or_else(|| refusal(directory, error.clone()))?;
        let only = error.within(&format!("the store `{}` can only be read", directory.display()));
        Ok(Self { writer: Err(only), reader, frozen })
    }

    fn to_write(directory: &Path) -> Result<Self, Aborted> {
        let path = directory.join(DATABASE);
        private::directory(directory).map_err(unusable)?;
        private::unmovable(directory).map_err(unusable)?;
        private::touch(&path).map_err(unusable)?;
        let mut writer = connect(&path)?;
        migrate(&mut writer)?;
        Ok(Self { writer: Ok(writer), reader: connect(&path)?, frozen: None })
    }
}

/// Opens a database for reading. It must be undamaged and have the current version, because it cannot be migrated.
fn to_read(directory: &Path) -> Option<(Connection, Option<Frozen>)> {
    let path = directory.join(DATABASE);
    let about = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
    private::for_owner_alone(&fs::metadata(directory).ok()?, "the directory").ok()?;
    private::for_owner_alone(&about, "the file").ok()?;
    private::unmovable(directory).ok()?;
    let open = |name: &str, more| {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | more;
        let connection = Connection::open_with_flags(name, flags).ok()?;
        set_up(&connection).ok()?;
        missing(&connection).ok().filter(|missing| missing.is_empty())?;
        Some(connection)
    };
    let name = path.to_str()?;
    if let Some(connection) = open(name, OpenFlags::empty()) {
        return Some((connection, None));
    }
    // SQLite's lock files do not exist and cannot be created. Without a log, the database file alone has the data.
    let frozen = Frozen::read(&path)?;
    let name = name.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let connection = open(&format!("file:{name}?immutable=1"), OpenFlags::SQLITE_OPEN_URI)?;
    Some((connection, Some(frozen)))
}

fn connect(path: &Path) -> Result<Connection, rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    set_up(&connection)?;
    let is_new = connection.query_row("PRAGMA page_count", [], |row| row.get::<_, i64>(0))? == 0;
    if is_new {
        // Only an empty database takes this setting. It lets `gc` give free pages back a few at a time.
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0))?;
    Ok(connection)
}

fn set_up(connection: &Connection) -> Result<(), rusqlite::Error> {
    connection.busy_timeout(PATIENCE)?;
    // The content of the database is data, whichever program wrote it.
    connection.pragma_update(None, "trusted_schema", false)
}

/// Migrates a database to the current version. Rejects databases of other programs and of later versions. A current database is not
/// written. So opening it needs no disk space, does not wait for a writer, and does not wake the processes that watch the store.
fn migrate(connection: &mut Connection) -> Result<(), Aborted> {
    // In a transaction, because another process may be creating the database.
    let seen = connection.transaction()?;
    if missing(&seen)?.is_empty() {
        return Ok(());
    }
    drop(seen);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have migrated it meanwhile.
    for migration in missing(&transaction)? {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", MIGRATIONS.len() as i64)?;
    transaction.commit()?;
    Ok(())
}

/// The migrations that a database lacks.
fn missing(connection: &Connection) -> Result<&'static [&'static str], Aborted> {
    let number = |name| connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i32>(0));
    let (application, version) = (number("application_id")?, number("user_version")?);
    let is_empty =
        connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get::<_, bool>(0))?;
    if application != APPLICATION && !is_empty {
        return Err(fault("the database is not an adjudicate store").into());
    }
    let version = usize::try_from(version).unwrap_or(usize::MAX);
    let missing = MIGRATIONS.get(version..);
    missing.ok_or_else(|| fault("the database was written by a later version").into())
}

/// Returns the error for a file or directory that cannot be used.
pub(super) fn unusable(error: io::Error) -> Error {
    fault(error.to_string()).with_source(error)
}

/// Returns the error of a database. For a failed write, SQLite reports the reason only if the disk is full.
pub(super) fn database_error(error: rusqlite::Error) -> Error {
    const READING: [i32; 2] = [ffi::SQLITE_IOERR_READ, ffi::SQLITE_IOERR_SHORT_READ];
    let message = match error.sqlite_error() {
        Some(failure)
            if failure.code == ffi::ErrorCode::SystemIoFailure
                && !READING.contains(&failure.extended_code) =>
        {
            format!(
                "{error}: writing failed; is the disk full, or the limit on file sizes (`ulimit -f`) reached?"
            )
        }
        _ => error.to_string(),
    };
    fault(message).with_source(error)
}
