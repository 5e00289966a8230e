//! Writes files atomically: a file is written completely or not at all.

#[cfg(not(target_os = "wasi"))]
use std::fs::canonicalize;
use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions, Permissions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

#[cfg(target_os = "wasi")]
use adjudicate_collect::real_path as canonicalize;
use adjudicate_core::Error;

use crate::{codes, environment::Environment, output};

/// Writes or replaces a file. Of a symbolic link, the target is replaced. Without `permissions` the file keeps its own, or gets those
/// of a new file. Replacing something other than a file, such as a device, is an error.
pub(crate) fn file(target: &Path, permissions: Option<Permissions>, bytes: &[u8]) -> io::Result<()> {
    let target = match canonicalize(target) {
        Ok(path) => path,
        Err(error) if error.kind() == io::ErrorKind::NotFound => target.to_owned(),
        Err(error) => return Err(error),
    };
    match fs::metadata(&target) {
        Ok(about) if about.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(about) if !about.is_file() => return Err(io::Error::other("it is not a file")),
        _ => {}
    }
    let permissions = permissions.or_else(|| fs::metadata(&target).ok().map(|about| about.permissions()));
    write_and_rename(&target, permissions, bytes, true)
}

/// Writes a report to a file, atomically. Pipes and other special files are written to directly.
///
/// # Errors
///
/// [`codes::UNWRITABLE_OUTPUT`].
pub(crate) fn report(target: &Path, text: &str, env: &Environment) -> Result<(), Error> {
    let path = env.path(target);
    let written = match fs::metadata(&path) {
        Ok(about) if !about.is_file() && !about.is_dir() => fs::write(&path, text),
        _ => file(&path, None, text.as_bytes()),
    };
    written.map_err(|error| output::unwritable(target, error))
}

/// Writes a file into a folder that other processes may write to. An existing file is replaced, and never opened or followed, even if it
/// appears during the call. The file is not synced to the disk, because it can be made again.
///
/// # Errors
///
/// [`io::ErrorKind::AlreadyExists`] if the name is taken by something other than a file, for example a symbolic link.
pub(crate) fn entry(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let refusal = |what| Err(io::Error::new(io::ErrorKind::AlreadyExists, what));
    match fs::symlink_metadata(target) {
        Ok(about) if about.is_symlink() => refusal("it is a symbolic link; remove it if it may go"),
        Ok(about) if !about.is_file() => refusal("there is something else than a file"),
        Ok(_) => write_and_rename(target, None, bytes, false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => write_and_rename(target, None, bytes, false),
        Err(error) => Err(error),
    }
}

/// Writes a temporary file and renames it. Renaming replaces a symbolic link and does not follow it.
fn write_and_rename(
    target: &Path,
    permissions: Option<Permissions>,
    bytes: &[u8],
    is_synced: bool,
) -> io::Result<()> {
    let temporary = temporary_path(target)?;
    let mut file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
    let written = file
        .write_all(bytes)
        .and_then(|()| permissions.map_or(Ok(()), |permissions| keep(&file, permissions, target, &temporary)))
        .and_then(|()| if is_synced { file.sync_all() } else { Ok(()) })
        .and_then(|()| fs::rename(&temporary, target));
    written.inspect_err(|_| drop(fs::remove_file(&temporary)))
}

/// Gives a new file the permissions of its target.
#[cfg(not(target_os = "wasi"))]
fn keep(file: &File, permissions: Permissions, _: &Path, _: &Path) -> io::Result<()> {
    file.set_permissions(permissions)
}

/// Gives a new file the permissions of its target. WASI has none, so the host of the module copies them.
#[cfg(target_os = "wasi")]
fn keep(_: &File, _: Permissions, target: &Path, temporary: &Path) -> io::Result<()> {
    adjudicate_collect::keep_mode(target, temporary)
}

/// Returns true if both paths lead to the same file.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    matches!((canonicalize(one), canonicalize(other)), (Ok(one), Ok(other)) if one == other)
}

/// Rejects an output file that is also an input, or an existing file that is not a module, before any work is done.
///
/// # Errors
///
/// [`codes::WRONG_USAGE`] for standard output, and for one of the inputs; [`codes::UNWRITABLE_OUTPUT`] for another existing file.
pub(crate) fn check_module_target<'a>(
    target: &Path,
    mut inputs: impl Iterator<Item = &'a Path>,
    env: &Environment,
) -> Result<(), Error> {
    if target == Path::new("-") {
        let message = "a module is written to a file, not to standard output";
        return Err(Error::new(codes::WRONG_USAGE, message));
    }
    let path = env.path(target);
    if inputs.any(|input| is_same(&path, &env.path(input))) {
        let message =
            format!("the module cannot be written over `{}`, which it is made of", target.display());
        return Err(Error::new(codes::WRONG_USAGE, message));
    }
    let refusal = |what: &str| {
        let message = format!("cannot write `{}`: {what}", target.display());
        Err(Error::new(codes::UNWRITABLE_OUTPUT, message))
    };
    // An empty parent is the directory that the command runs in.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match fs::metadata(&path) {
        Err(_) if folder.is_some_and(|folder| !folder.is_dir()) => refusal("there is no such folder"),
        Err(_) => Ok(()),
        Ok(about) if about.is_dir() => refusal("it is a directory"),
        Ok(about) if !about.is_file() => refusal("it is not a file"),
        Ok(about) if about.len() > 0 && !is_module(&path) => {
            refusal("there is a file that is not a module; remove it if it may go")
        }
        Ok(_) => Ok(()),
    }
}

/// Returns true if a file begins with the magic number of a module.
fn is_module(path: &Path) -> bool {
    let mut head = [0; 4];
    File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == *b"\0asm"
}

/// Returns a new name in the same directory, so that renaming is atomic.
pub(crate) fn temporary_path(target: &Path) -> io::Result<PathBuf> {
    let mut number = [0; 8];
    getrandom::fill(&mut number)?;
    let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut unique = OsString::from(".");
    unique.push(name);
    unique.push(format!(".{:016x}.new", u64::from_le_bytes(number)));
    Ok(target.with_file_name(unique))
}
