//! Opening the database: to change it, or, where it cannot be written, to read it.

use std::{
    fmt::Display,
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use adjudicate_core::Error;
use adjudicate_sandbox::private;
use rusqlite::{Connection, OpenFlags, TransactionBehavior, ffi};

use super::{Aborted, DATABASE, fault};

/// Marks a database as one of ours: `adju`.
const APPLICATION: i32 = 0x6164_6a75;

/// What brings a database from one version to the next; a database's version is how many of them it went through.
const MIGRATIONS: [&str; 3] =
    [include_str!("schema.sql"), include_str!("cluster.sql"), include_str!("removed.sql")];

/// How long a transaction waits for that of another process.
const PATIENCE: Duration = Duration::from_secs(10);

/// A database that is open.
pub(super) struct Opened {
    /// Why there is none, where the database can only be read.
    pub(super) writer: Result<Connection, Error>,
    pub(super) reader: Connection,
    pub(super) frozen: Option<Frozen>,
}

/// What a file is that is read without SQLite's locks, since these cannot be taken where nothing can be written: as long as it stays so,
/// nobody has written to it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Frozen {
    bytes: u64,
    modified: Option<SystemTime>,
}

impl Frozen {
    /// The database as it is now; `None` if changes wait beside it.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        if fs::metadata(PathBuf::from(log)).is_ok_and(|log| log.len() > 0) {
            return None;
        }
        let about = fs::metadata(path).ok()?;
        Some(Self { bytes: about.len(), modified: about.modified().ok() })
    }
}

/// The error for a store that cannot be opened.
pub(super) fn refusal(directory: &Path, reason: &dyn Display) -> Error {
    fault(format!("the store `{}` cannot be opened: {reason}", directory.display()))
}

impl Opened {
    /// Opens the database in a directory; both are made if they are not there.
    pub(super) fn open(directory: &Path) -> Result<Self, Error> {
        let error = match Self::to_write(directory) {
            Ok(opened) => return Ok(opened),
            // Somebody else writes, so it can be written; later.
            Err(Aborted::Database(error))
                if error.sqlite_error_code() == Some(ffi::ErrorCode::DatabaseBusy) =>
            {
                return Err(refusal(directory, &error));
            }
            Err(aborted) => reason(aborted),
        };
        let (reader, frozen) = to_read(directory).ok_or_else(|| refusal(directory, &error))?;
        let only = fault(format!("the store `{}` can only be read: {error}", directory.display()));
        Ok(Self { writer: Err(only), reader, frozen })
    }

    fn to_write(directory: &Path) -> Result<Self, Aborted> {
        let path = directory.join(DATABASE);
        let unusable = |error: io::Error| fault(error.to_string());
        private::directory(directory).map_err(unusable)?;
        private::touch(&path).map_err(unusable)?;
        let mut writer = connect(&path)?;
        migrate(&mut writer)?;
        Ok(Self { writer: Ok(writer), reader: connect(&path)?, frozen: None })
    }
}

/// Opens a database that cannot be written. It must be whole and of this version, for nothing can be done about it.
fn to_read(directory: &Path) -> Option<(Connection, Option<Frozen>)> {
    let path = directory.join(DATABASE);
    let about = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?;
    private::for_owner_alone(&fs::metadata(directory).ok()?, "the directory").ok()?;
    private::for_owner_alone(&about, "the file").ok()?;
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
    // The files of SQLite's locks are not there and cannot be made. Without changes that wait, the file alone is the database.
    let frozen = Frozen::of(&path)?;
    let name = name.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let connection = open(&format!("file:{name}?immutable=1"), OpenFlags::SQLITE_OPEN_URI)?;
    Some((connection, Some(frozen)))
}

fn reason(aborted: Aborted) -> String {
    match aborted {
        Aborted::Refused(error) => error.message().to_owned(),
        Aborted::Database(error) => said(&error),
    }
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
    // What is in the database is data, whoever wrote it.
    connection.pragma_update(None, "trusted_schema", false)
}

/// Brings a database up to date; refuses one that is not ours, or of the future. One that is up to date is not written to: who
/// only reads waits for nobody's change, wakes nobody who watches the store, and needs no room on the disk.
fn migrate(connection: &mut Connection) -> Result<(), Aborted> {
    // In a transaction, too: what is read is of one moment, also while somebody makes the database.
    let seen = connection.transaction()?;
    if missing(&seen)?.is_empty() {
        return Ok(());
    }
    drop(seen);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Somebody else may have been first.
    for migration in missing(&transaction)? {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", MIGRATIONS.len() as i64)?;
    transaction.commit()?;
    Ok(())
}

/// What a database has not gone through yet.
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

/// The message of a database's error. SQLite tells the reason of a failed write only where that is a full disk.
pub(super) fn said(error: &rusqlite::Error) -> String {
    const READING: [i32; 2] = [ffi::SQLITE_IOERR_READ, ffi::SQLITE_IOERR_SHORT_READ];
    match error.sqlite_error() {
        Some(failure)
            if failure.code == ffi::ErrorCode::SystemIoFailure
                && !READING.contains(&failure.extended_code) =>
        {
            format!(
                "{error}: writing failed; is the disk full, or the limit on the size of files (`ulimit -f`) reached?"
            )
        }
        _ => error.to_string(),
    }
}
