//! Compiled modules on disk, so that each is compiled once.
//!
//! A directory for its owner alone (0700) holds a random key (0600) and sealed entries. Nothing is deserialised
//! that this store did not write: an entry that is forged, damaged, or from elsewhere is ignored, and the module
//! is compiled again. Whatever goes wrong here costs time, never an answer.

use std::{
    ffi::OsStr,
    fs::{self, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use adjudicate_core::Error;
use wasmtime::{Engine, Module};

use crate::{
    codes,
    compiled::{self, Key, Origin},
    digest::hex,
    private,
};

/// How many entries stay, and how many bytes they may have together; those that were not used longest go first.
const MAX_ENTRIES: usize = 64;
const MAX_BYTES: u64 = 1 << 30;

/// An unfinished file of this age was left by a process that died.
const LEFT_OVER: Duration = Duration::from_secs(3600);

const KEY_FILE: &str = "key";
/// What entries end in, and what is being written, or was when a process died.
const ENTRY: &str = "cwasm";
const UNFINISHED: &str = "cwasm-new";

/// A directory of compiled modules.
#[derive(Clone)]
pub struct Cache {
    directory: PathBuf,
    key: Key,
}

impl std::fmt::Debug for Cache {
    /// Without the key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cache").field("directory", &self.directory).finish_non_exhaustive()
    }
}

impl Cache {
    /// Opens the cache in a directory, which is made if it is not there.
    ///
    /// # Errors
    ///
    /// [`codes::HOST_FAULT`] when the directory or the key in it cannot be made or read, or are not for their
    /// owner alone; and where files have no such permissions. A host without a cache works, and compiles more.
    ///
    /// ```no_run
    /// use adjudicate_sandbox::{Cache, Host, Settings};
    /// let cache = Cache::open("/var/cache/judge".as_ref()).ok();
    /// let host = Host::new(Settings { cache, ..Settings::default() })?;
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn open(directory: &Path) -> Result<Self, Error> {
        let fault = |error: io::Error| {
            let message = format!("the cache `{}` cannot be used: {error}", directory.display());
            Error::new(codes::HOST_FAULT, message)
        };
        private::directory(directory).map_err(fault)?;
        let key = own_key(directory).map_err(fault)?;
        Ok(Self { directory: directory.to_owned(), key })
    }

    /// The compiled module, if this store has it.
    pub(crate) fn find(&self, origin: &Origin, engine: &Engine) -> Option<Module> {
        let path = self.entry(origin);
        let sealed = fs::read(&path).ok()?;
        let module = compiled::unseal(&self.key, origin, &sealed, engine)?;
        // When it was used last decides how long it stays; a file system that cannot say so keeps it a shorter time.
        let _ =
            OpenOptions::new().write(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Some(module)
    }

    /// Keeps a compiled module, as well as may be.
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

    /// Removes what is beyond the bounds, left-overs of broken writes among it.
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
                // Another process may have been faster.
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// Removes the compiled code of each module from the cache in a directory for whose digest (64 hexadecimal digits) `goes` returns
/// true, and unfinished files of processes that died. Returns how many files and bytes. With `dry_run`, removes nothing.
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
        // Another process may have removed it already.
        if is_to_go && (dry_run || fs::remove_file(&path).is_ok()) {
            (count, bytes) = (count + 1, bytes + about.len());
        }
    }
    (count, bytes)
}

/// Writes a file that is either whole or not there.
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

/// The key of the store; drawn at random when there is none, or a damaged one.
fn own_key(directory: &Path) -> io::Result<Key> {
    let path = directory.join(KEY_FILE);
    if let Some(key) = read_key(&path)? {
        return Ok(key);
    }
    let mut key: Key = [0; 64];
    getrandom::fill(&mut key)?;
    let temporary = write_temporary(directory, &key)?;
    // Linking fails where a key is: of two processes that begin at once, both use the first one's.
    let linked = fs::hard_link(&temporary, &path);
    fs::remove_file(&temporary)?;
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => read_key(&path)?.ok_or_else(|| io::Error::other("the key vanished")),
    }
}

/// Reads the key, `None` if there is none. One of the wrong length is removed: all it sealed is compiled again.
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
