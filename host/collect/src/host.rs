//! The host of a collection: files and processes of the operating system.

use std::{
    fs::{self, File, Metadata, TryLockError},
    io::{self, Read, Write},
    panic::resume_unwind,
    path::{Path, PathBuf},
    sync::atomic::Ordering,
    thread,
    time::{Duration, Instant, SystemTime},
};

use tempfile::TempDir;

use crate::{
    CollectOptions,
    command::{Ended, Process},
    engine,
    process::{self, path},
    system::{About, FolderEntry, SystemAnswer, SystemFileKind, SystemRequest, bytes},
};

/// The time between two attempts to lock.
const PAUSE: Duration = Duration::from_millis(20);

/// Resolves all links of a path.
///
/// # Errors
///
/// The error of the operating system.
pub fn real_path(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

/// Runs a command in a process group of its own. When it has ended, no process of the group is left.
///
/// # Errors
///
/// The error of the operating system, if the command cannot start.
pub fn run_process(command: &Process) -> io::Result<Ended> {
    process::run(command, None)
}

pub(crate) struct Host<'a> {
    options: &'a CollectOptions<'a>,
    /// The lock ends with the process at the latest.
    lock: Option<File>,
    temporary: Vec<TempDir>,
}

/// A process that starts in another thread has a copy of the file for a moment. So closing the file is not enough.
impl Drop for Host<'_> {
    fn drop(&mut self) {
        // The lock also ends with the file.
        let _ = self.lock.as_ref().map(File::unlock);
    }
}

impl<'a> Host<'a> {
    pub(crate) const fn new(options: &'a CollectOptions<'a>) -> Self {
        Self { options, lock: None, temporary: Vec::new() }
    }

    pub(crate) fn answer(&mut self, request: SystemRequest) -> io::Result<SystemAnswer> {
        Ok(match request {
            SystemRequest::About(file, true) => SystemAnswer::About(about(&fs::metadata(path(&file)?)?)),
            SystemRequest::About(file, false) => {
                SystemAnswer::About(about(&fs::symlink_metadata(path(&file)?)?))
            }
            SystemRequest::Folder(folder) => SystemAnswer::Entries(entries(&path(&folder)?)?),
            SystemRequest::Read(file, limit) => {
                let mut content = Vec::new();
                File::open(path(&file)?)?.take(limit).read_to_end(&mut content)?;
                SystemAnswer::Bytes(content)
            }
            SystemRequest::Write(file, content) => {
                fresh_file(&path(&file)?)?.write_all(&content)?;
                SystemAnswer::Done
            }
            SystemRequest::Replace(draft, file, content) => {
                replace(&path(&draft)?, &path(&file)?, &content)?;
                SystemAnswer::Done
            }
            SystemRequest::CreateFolder(folder) => {
                fs::create_dir_all(path(&folder)?)?;
                SystemAnswer::Done
            }
            SystemRequest::TemporaryFolder => {
                let folder = tempfile::tempdir()?;
                let answer = SystemAnswer::Bytes(bytes(folder.path()));
                self.temporary.push(folder);
                answer
            }
            SystemRequest::RealPath(file) => SystemAnswer::Bytes(bytes(&fs::canonicalize(path(&file)?)?)),
            SystemRequest::Lock(file, wait) => SystemAnswer::Is(self.lock(&path(&file)?, wait)?),
            SystemRequest::Time => SystemAnswer::Time(
                SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default(),
            ),
            SystemRequest::KeepsModes(folder) => SystemAnswer::Is(keeps_modes(&path(&folder)?)),
            SystemRequest::Run(command) => SystemAnswer::Ended(process::run(&command, self.options.stop)?),
            SystemRequest::RunBoth(processes) => {
                let ([first, second], stop) = (*processes, self.options.stop);
                SystemAnswer::BothEnded(thread::scope(|scope| {
                    let first = scope.spawn(|| process::run(&first, stop));
                    let second = process::run(&second, stop);
                    [first.join().unwrap_or_else(|panic| resume_unwind(panic)), second]
                }))
            }
            request => engine::answer(self.options, request)?,
        })
    }

    fn lock(&mut self, path: &Path, wait: Duration) -> io::Result<bool> {
        let file = File::options().create(true).write(true).truncate(false).open(path)?;
        let deadline = Instant::now() + wait;
        let is_stopped = || self.options.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if Instant::now() < deadline && !is_stopped() => {
                    thread::sleep(PAUSE)
                }
                Err(TryLockError::WouldBlock) => return Ok(false),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        self.lock = Some(file);
        Ok(true)
    }
}

fn entries(folder: &Path) -> io::Result<Vec<FolderEntry>> {
    let entry = |entry: io::Result<fs::DirEntry>| {
        let entry = entry?;
        let kind = kind(entry.file_type()?);
        Ok(FolderEntry { name: entry.file_name().as_encoded_bytes().to_vec(), kind })
    };
    fs::read_dir(folder)?.map(entry).collect()
}

fn about(about: &Metadata) -> About {
    #[cfg(unix)]
    use std::os::unix::fs::MetadataExt;
    #[cfg(unix)]
    let changed = (about.ino(), about.ctime(), about.ctime_nsec());
    #[cfg(not(unix))]
    let changed = ();
    let stamp = format!("{:?} {changed:?}", about.modified().ok()).into_bytes();
    About { kind: kind(about.file_type()), bytes: about.len(), stamp }
}

fn kind(kind: fs::FileType) -> SystemFileKind {
    match kind {
        _ if kind.is_file() => SystemFileKind::File,
        _ if kind.is_dir() => SystemFileKind::Folder,
        _ if kind.is_symlink() => SystemFileKind::Link,
        _ => SystemFileKind::Other,
    }
}

/// Creates a file in place of the one with this name. A link is replaced, and never followed.
fn fresh_file(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => File::create_new(path),
    }
}

fn replace(draft: &Path, path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = fresh_file(draft)?;
    file.write_all(content)?;
    file.sync_all()?;
    fs::rename(draft, path)?;
    sync_folder(path.parent().unwrap_or(path))
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

/// Returns false if a new file in a folder keeps no execute bit.
#[cfg(unix)]
fn keeps_modes(folder: &Path) -> bool {
    use std::{fs::Permissions, os::unix::fs::PermissionsExt};

    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
    let path = folder.join(format!(".adjudicate-mode-{now}"));
    let Ok(file) = File::create_new(&path) else { return true };
    // The open file has no name that another program could use.
    let _ = fs::remove_file(&path);
    [0o700, 0o600].into_iter().all(|mode| {
        let set = file.set_permissions(Permissions::from_mode(mode)).and_then(|()| file.metadata());
        set.is_ok_and(|found| found.permissions().mode() & 0o100 == mode & 0o100)
    })
}

#[cfg(not(unix))]
fn keeps_modes(_: &Path) -> bool {
    false
}
