//! A cache of compiled modules on disk.
//!
//! The cache is a directory for its owner alone (0700) with a random key (0600) and entries sealed with that key. Only entries with
//! a valid seal are deserialized. The host ignores forged, damaged and foreign entries and compiles those modules again. A failure
//! of the cache costs time and changes no answer.

use std::{
    ffi::OsStr,
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use adjudicate_core::{Error, module::hex};
use adjudicate_trust::private;
use wasmtime::{Engine, Module};

use crate::{
    codes,
    compiled::{self, Key, Origin},
};

/// Bounds on the entries and on their bytes together. Beyond them, the least recently used entries go first.
const MAX_ENTRIES: usize = 64;
const MAX_BYTES: u64 = 1 << 30;

/// Age from which an unfinished file counts as the remains of a process that died.
const LEFT_OVER: Duration = Duration::from_secs(3600);

const KEY_FILE: &str = "key";
/// Extensions of entries and of unfinished files.
const ENTRY: &str = "cwasm";
const UNFINISHED: &str = "cwasm-new";

/// A directory of compiled modules.
#[derive(Clone)]
pub struct Cache {
    directory: PathBuf,
    key: Key,
}

impl std::fmt::Debug for Cache {
    /// Omits the key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cache").field("directory", &self.directory).finish_non_exhaustive()
    }
}

impl Cache {
    /// Opens the cache in a directory and creates the directory if it does not exist.
    ///
    /// # Errors
    ///
    /// [`codes::HOST_FAULT`] if the directory or its key cannot be created or read, if others than the owner may read them, and on
    /// systems without file permissions. A host works without a cache, but compiles more.
    ///
    /// ```no_run
    /// use adjudicate_sandbox::{Cache, Host, HostSettings};
    /// let cache = Cache::open("/var/cache/judge".as_ref()).ok();
    /// let host = Host::new(HostSettings { cache, ..HostSettings::default() })?;
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn open(directory: &Path) -> Result<Self, Error> {
        let fault = |error: io::Error| {
            let message = format!("the cache `{}` cannot be used", directory.display());
            Error::caused_by(codes::HOST_FAULT, message, error)
        };
        private::directory(directory).map_err(fault)?;
        let key = own_key(directory).map_err(fault)?;
        Ok(Self { directory: directory.to_owned(), key })
    }

    /// Returns the compiled module if the cache has it.
    pub(crate) fn find(&self, origin: &Origin, engine: &Engine) -> Option<Module> {
        let path = self.entry(origin);
        let sealed = fs::read(&path).ok()?;
        let module = compiled::unseal(&self.key, origin, &sealed, engine)?;
        // The modification time decides how long the entry stays. If the file system cannot set it, the entry goes earlier.
        let _ =
            OpenOptions::new().write(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Some(module)
    }

    /// Stores a compiled module. A failure is ignored.
    pub(crate) fn keep(&self, origin: &Origin, module: &Module) {
        let Ok(code) = module.serialize() else { return };
        let sealed = compiled::seal(&self.key, origin, &code);
        if write_whole(&self.directory, &self.entry(origin), &sealed).is_ok() {
            self.trim();
        }
    }

    fn entry(&self, origin: &Origin) -> PathBuf {
        self.directory.join(format!("{}-{}.{ENTRY}", origin.module.hex(), origin.engine.hex()))
    }

    /// Removes the entries beyond the bounds and the remains of broken writes.
    fn trim(&self) {
        let Ok(files) = fs::read_dir(&self.directory) else { return };
        let mut entries: Vec<_> = files
            .flatten()
            .filter(|file| {
                let path = file.path();
                path.extension().is_some_and(|ending| ending == ENTRY || ending == UNFINISHED)
            })
            .filter_map(|file| {
                let about = file.metadata().ok()?;
                Some((about.modified().ok()?, about.len(), file.path()))
            })
            .collect();
        entries.sort_unstable();
        let (mut count, mut bytes) = (0, 0_u64);
        for (_, size, path) in entries.iter().rev() {
            count += 1;
            bytes = bytes.saturating_add(*size);
            if count > MAX_ENTRIES || bytes > MAX_BYTES {
                // Another process may have removed the file first.
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// Removes compiled modules from the cache in `directory`, and unfinished files of processes that died. A module is removed if
/// `goes` returns true for its digest (64 hexadecimal digits). Returns the number of files and bytes. With `dry_run`, removes
/// nothing.
pub fn sweep(directory: &Path, dry_run: bool, goes: impl Fn(&str) -> bool) -> (u64, u64) {
    let (mut count, mut bytes) = (0, 0);
    for file in fs::read_dir(directory).into_iter().flatten().flatten() {
        let (path, Ok(about)) = (file.path(), file.metadata()) else { continue };
        let ending = path.extension().and_then(OsStr::to_str);
        let is_left_over =
            || about.modified().ok().and_then(|at| at.elapsed().ok()).is_some_and(|age| age > LEFT_OVER);
        let module = file
            .file_name()
            .to_str()
            .and_then(|name| name.split_once('-'))
            .map(|(module, _)| module.to_owned());
        let is_to_go = match ending {
            Some(ENTRY) => module.is_some_and(|module| goes(&module)),
            Some(UNFINISHED) => is_left_over(),
            _ => false,
        };
        // Another process may have removed the file already.
        if is_to_go && (dry_run || fs::remove_file(&path).is_ok()) {
            (count, bytes) = (count + 1, bytes + about.len());
        }
    }
    (count, bytes)
}

/// Writes a file atomically: readers see the whole file or none.
fn write_whole(directory: &Path, to: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = write_temporary(directory, bytes)?;
    fs::rename(&temporary, to).inspect_err(|_| drop(fs::remove_file(&temporary)))
}

fn write_temporary(directory: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let mut name = [0; 8];
    getrandom::fill(&mut name)?;
    let path = directory.join(format!("{}.{UNFINISHED}", hex(&name)));
    let mut file = private::private(OpenOptions::new().write(true).create_new(true)).open(&path)?;
    file.write_all(bytes).inspect_err(|_| drop(fs::remove_file(&path)))?;
    Ok(path)
}

/// Returns the key of the cache. Draws a random key if there is none or a damaged one.
fn own_key(directory: &Path) -> io::Result<Key> {
    let path = directory.join(KEY_FILE);
    if let Some(key) = read_key(&path)? {
        return Ok(key);
    }
    let mut key: Key = [0; 64];
    getrandom::fill(&mut key)?;
    let temporary = write_temporary(directory, &key)?;
    // A link fails if the file exists. If two processes start at once, both use the key of the first.
    let linked = fs::hard_link(&temporary, &path);
    fs::remove_file(&temporary)?;
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => read_key(&path)?.ok_or_else(|| io::Error::other("the key vanished")),
    }
}

/// Reads the key; `None` if there is none. A key of the wrong length is removed, and everything that it sealed is compiled again.
fn read_key(path: &Path) -> io::Result<Option<Key>> {
    let mut options = OpenOptions::new();
    let file = match private::no_follow(options.read(true)).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("the key is not a file"));
    }
    private::for_owner_alone(&metadata, "the key")?;
    let mut bytes = Vec::new();
    io::Read::read_to_end(&mut io::Read::take(file, 65), &mut bytes)?;
    match Key::try_from(bytes) {
        Ok(key) => Ok(Some(key)),
        Err(_) => fs::remove_file(path).map(|()| None),
    }
}
