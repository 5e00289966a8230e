//! The folder of a run: its lock, its logs and its state, which is written atomically.

use std::{
    fs::{self, File, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use adjudicate_evidence::collect::OwnedState;

use crate::CollectError;

/// The folder below the root.
pub(crate) const FOLDER: &str = ".adjudicate";

/// The time between two attempts to lock.
const PAUSE: Duration = Duration::from_millis(20);

/// The locked folder of a run.
pub(crate) struct RunFolder {
    folder: PathBuf,
    /// The lock ends with the process at the latest.
    lock: File,
}

/// A process that starts in another thread has a copy of the file for a moment. So closing the file is not enough.
impl Drop for RunFolder {
    fn drop(&mut self) {
        // The lock also ends with the file.
        let _ = self.lock.unlock();
    }
}

impl RunFolder {
    /// Creates and locks the folder.
    pub(crate) fn lock(root: &Path, wait: Duration) -> Result<Self, CollectError> {
        let folder = root.join(FOLDER);
        for path in [folder.clone(), folder.join("logs"), folder.join("reports")] {
            fs::create_dir_all(&path)
                .and_then(|()| expect(&path, |about| about.is_dir()))
                .map_err(CollectError::file("create", &path))?;
        }
        let ignored = folder.join(".gitignore");
        if expect(&ignored, |about| about.is_file()).is_err() {
            fresh_file(&ignored)
                .and_then(|mut file| file.write_all(b"*\n"))
                .map_err(CollectError::file("write", &ignored))?;
        }
        let path = folder.join("lock");
        if path.symlink_metadata().is_ok() {
            expect(&path, |about| about.is_file()).map_err(CollectError::file("open", &path))?;
        }
        let options = File::options().create(true).write(true).truncate(false).open(&path);
        let file = options.map_err(CollectError::file("open", &path))?;
        let deadline = Instant::now() + wait;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { folder, lock: file }),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => return Err(CollectError::Busy(path.display().to_string())),
                Err(TryLockError::Error(error)) => return Err(CollectError::file("lock", &path)(error)),
            }
        }
    }

    /// Returns the path of a log, below the root.
    pub(crate) fn log(validator: &str, extension: &str) -> String {
        format!("{FOLDER}/logs/{validator}.{extension}")
    }

    /// Reads the state, or begins a run. A damaged state is an error, because a new one would forget what was spent.
    pub(crate) fn read(&self, new_run: bool) -> Result<OwnedState, CollectError> {
        let path = self.path();
        let read = || expect(&path, |about| about.is_file()).and_then(|()| fs::read(&path));
        match read() {
            old if new_run => {
                let old = old.ok().and_then(|text| OwnedState::from_json(&text).ok());
                Ok(OwnedState { created: old.and_then(|old| old.created), ..OwnedState::new(run_id()) })
            }
            Ok(text) => OwnedState::from_json(&text)
                .map_err(|error| CollectError::Document(path.display().to_string(), error)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(OwnedState::new(run_id())),
            Err(error) => Err(CollectError::file("read", &path)(error)),
        }
    }

    /// Replaces the state. When this returns, the state is on the disk.
    pub(crate) fn write(&self, state: &OwnedState) -> Result<(), CollectError> {
        let path = self.path();
        let draft = self.folder.join("state.json.new");
        let write = || {
            let mut file = fresh_file(&draft)?;
            file.write_all(state.to_json().as_bytes())?;
            file.sync_all()?;
            fs::rename(&draft, &path)?;
            sync_folder(&self.folder)
        };
        write().map_err(CollectError::file("write", &path))
    }

    fn path(&self) -> PathBuf {
        self.folder.join("state.json")
    }
}

/// Checks the type of a file. A link is none of the others: it could lead out of the folder.
fn expect(path: &Path, is_so: impl FnOnce(&fs::Metadata) -> bool) -> io::Result<()> {
    match is_so(&path.symlink_metadata()?) {
        true => Ok(()),
        false => Err(io::Error::other("something else has this name, for example a link")),
    }
}

/// Creates a file in place of the one with this name. A link is replaced, and never followed.
pub(crate) fn fresh_file(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => File::create_new(path),
    }
}

/// Makes a renamed file durable.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns an id that no earlier run of this folder has.
fn run_id() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("run-{}-{:09}", now.as_secs(), now.subsec_nanos())
}
