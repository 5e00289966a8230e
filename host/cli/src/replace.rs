//! Putting a file in the place of another one, whole or not at all.

use std::{
    ffi::OsString,
    fs::{self, OpenOptions, Permissions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use adjudicate_core::Error;

use crate::{codes, output};

/// Writes a file, or puts these bytes in its place. A symbolic link stays one, and what it points to is replaced. Without
/// permissions the file keeps those that it has, or has those of a new file. What is there and is no file, such as a device, is not
/// replaced: that is an error.
pub(crate) fn file(target: &Path, permissions: Option<Permissions>, bytes: &[u8]) -> io::Result<()> {
    let target = match fs::canonicalize(target) {
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
    put(&target, permissions, bytes, true)
}

/// Writes a report for whoever asked for it in a file: whole or not at all, but for pipes and the like, which are written to as they
/// are.
///
/// # Errors
///
/// [`codes::UNWRITABLE_OUTPUT`].
pub(crate) fn report(target: &Path, text: &str) -> Result<(), Error> {
    let written = match fs::metadata(target) {
        Ok(about) if !about.is_file() && !about.is_dir() => fs::write(target, text),
        _ => file(target, None, text.as_bytes()),
    };
    written.map_err(|error| output::unwritable(target, &error))
}

/// Writes a file of a folder that others may write to, too: what is there under its name is replaced if it is a file, and never
/// followed or opened, not even where it is put there meanwhile. Nobody waits for the disk: such a file can be made again.
///
/// # Errors
///
/// [`io::ErrorKind::AlreadyExists`] for what is no file, a symbolic link for one.
pub(crate) fn entry(target: &Path, bytes: &[u8]) -> io::Result<()> {
    let refusal = |what| Err(io::Error::new(io::ErrorKind::AlreadyExists, what));
    match fs::symlink_metadata(target) {
        Ok(about) if about.is_symlink() => refusal("it is a symbolic link; remove it if it may go"),
        Ok(about) if !about.is_file() => refusal("there is something else than a file"),
        Ok(_) => put(target, None, bytes, false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => put(target, None, bytes, false),
        Err(error) => Err(error),
    }
}

/// Writes beside a name and renames, which replaces what is there and does not follow it.
fn put(target: &Path, permissions: Option<Permissions>, bytes: &[u8], is_synced: bool) -> io::Result<()> {
    let temporary = beside(target)?;
    let mut file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
    let written = file
        .write_all(bytes)
        .and_then(|()| permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions)))
        .and_then(|()| if is_synced { file.sync_all() } else { Ok(()) })
        .and_then(|()| fs::rename(&temporary, target));
    written.inspect_err(|_| drop(fs::remove_file(&temporary)))
}

/// Whether both are one file.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    matches!((fs::canonicalize(one), fs::canonicalize(other)), (Ok(one), Ok(other)) if one == other)
}

/// Refuses to write a module over what it is made of, or where something else is than a module, before any work is done.
///
/// # Errors
///
/// [`codes::WRONG_USAGE`] for standard output, and for one of the inputs; [`codes::UNWRITABLE_OUTPUT`] for what is there.
pub(crate) fn admit_module<'a>(
    target: &Path,
    mut inputs: impl Iterator<Item = &'a Path>,
) -> Result<(), Error> {
    if target == Path::new("-") {
        let message = "a module is written to a file, not to standard output";
        return Err(Error::new(codes::WRONG_USAGE, message));
    }
    if inputs.any(|input| is_same(target, input)) {
        let message =
            format!("the module cannot be written over `{}`, which it is made of", target.display());
        return Err(Error::new(codes::WRONG_USAGE, message));
    }
    let refusal = |what: &str| {
        let message = format!("cannot write `{}`: {what}", target.display());
        Err(Error::new(codes::UNWRITABLE_OUTPUT, message))
    };
    // An empty parent is the directory that the command runs in.
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    match fs::metadata(target) {
        Err(_) if folder.is_some_and(|folder| !folder.is_dir()) => refusal("there is no such folder"),
        Err(_) => Ok(()),
        Ok(about) if about.is_dir() => refusal("it is a directory"),
        Ok(about) if !about.is_file() => refusal("it is not a file"),
        Ok(about) if about.len() > 0 && !is_module(target) => {
            refusal("there is a file that is not a module; remove it if it may go")
        }
        Ok(_) => Ok(()),
    }
}

/// Whether a file begins as a module does.
fn is_module(path: &Path) -> bool {
    let mut head = [0; 4];
    fs::File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == *b"\0asm"
}

/// A new name in the same directory, so that renaming is one step.
pub(crate) fn beside(target: &Path) -> io::Result<PathBuf> {
    let mut number = [0; 8];
    getrandom::fill(&mut number)?;
    let name = target.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let mut unique = OsString::from(".");
    unique.push(name);
    unique.push(format!(".{:016x}.new", u64::from_le_bytes(number)));
    Ok(target.with_file_name(unique))
}
