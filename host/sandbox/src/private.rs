//! Files and directories that only their owner may read: the cache of compiled code, and what hosts keep beside it.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io,
    path::Path,
};

/// Makes a directory for its owner alone, or checks that the one that is there is.
///
/// # Errors
///
/// Those of the system, and of [`for_owner_alone`].
pub fn directory(directory: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(directory)?;
    for_owner_alone(&fs::metadata(directory)?, "the directory")
}

/// Makes an empty file for its owner alone where there is none, and checks that what is there is one.
///
/// # Errors
///
/// Those of the system, and of [`for_owner_alone`].
pub fn touch(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let file = no_follow(private(options.write(true).create(true).truncate(false))).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("the file is not a file"));
    }
    for_owner_alone(&metadata, "the file")
}

/// Which file it is, whatever its name: a device, and a number on it.
pub type Identity = (u64, u64);

/// The file that has this name now; always the same one where files have no identity.
///
/// # Errors
///
/// Those of the system.
#[cfg(unix)]
pub fn identity(path: &Path) -> io::Result<Identity> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).map(|metadata| (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
pub fn identity(path: &Path) -> io::Result<Identity> {
    fs::metadata(path).map(|_| (0, 0))
}

/// Refuses what belongs to somebody else, or what others may read; `what` names it in the message.
///
/// # Errors
///
/// An error of kind `Other`, which says so; and wherever files have no such permissions.
#[cfg(unix)]
pub fn for_owner_alone(metadata: &fs::Metadata, what: &str) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::other(format!("{what} belongs to someone else")));
    }
    if metadata.mode() & 0o077 != 0 {
        return Err(io::Error::other(format!("{what} is open to others")));
    }
    Ok(())
}

/// Refuses, because nothing here says what others may read.
///
/// # Errors
///
/// Always: an error of kind `Other`.
#[cfg(not(unix))]
pub fn for_owner_alone(_: &fs::Metadata, what: &str) -> io::Result<()> {
    Err(io::Error::other(format!("whether {what} is open to others cannot be told here")))
}

/// Makes what is opened readable for its owner alone.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Refuses to open a symbolic link, and waits for nobody who is to open the other end of a pipe.
pub fn no_follow(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        options,
        (rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK).bits().cast_signed(),
    );
    options
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_where_a_file_should_be_holds_nobody_up() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pipe");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        assert!(touch(&path).is_err());
    }
}
