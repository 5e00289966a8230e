//! Files and directories that only their owner may read, such as the cache of compiled code and the store of a host.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io,
    path::Path,
};

/// Creates a directory for its owner alone, or checks an existing one.
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

/// Rejects a path with a folder in which other users may rename or replace the next part. Such a folder belongs to another user who
/// is not the administrator, or others may write to it. In a folder with the sticky bit, such as `/tmp`, only its owner may. The user's
/// primary group counts as the user, because many systems give each user a group.
///
/// # Errors
///
/// Those of the system, and an error of kind `Other` that names the folder.
#[cfg(unix)]
pub fn unmovable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    let path = fs::canonicalize(path)?;
    for folder in path.ancestors().skip(1) {
        let about = fs::metadata(folder)?;
        let me = rustix::process::geteuid().as_raw();
        let is_foreign = ![0, me].contains(&about.uid());
        let others = if about.gid() == rustix::process::getegid().as_raw() { 0o002 } else { 0o022 };
        if is_foreign || about.mode() & others != 0 && about.mode() & 0o1000 == 0 {
            let message = format!("other users may write to `{}`, a folder around it", folder.display());
            return Err(io::Error::other(message));
        }
    }
    Ok(())
}

/// Accepts every path. On such a system, [`for_owner_alone`] rejects all files.
///
/// # Errors
///
/// None.
#[cfg(not(unix))]
pub fn unmovable(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Creates an empty file for its owner alone, or checks an existing one.
///
/// # Errors
///
/// Those of the system, and of [`for_owner_alone`].
pub fn touch(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let file = no_follow(private(options.write(true).create(true).truncate(false))).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("the path is not a regular file"));
    }
    for_owner_alone(&metadata, "the file")
}

/// The identity of a file, independent of its name: device and inode number.
pub type Identity = (u64, u64);

/// Returns the identity of the file at this path.
///
/// # Errors
///
/// Those of the system.
#[cfg(unix)]
pub fn identity(path: &Path) -> io::Result<Identity> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).map(|metadata| (metadata.dev(), metadata.ino()))
}

/// Returns the same identity for every file, because this system has none.
///
/// # Errors
///
/// Those of the system.
#[cfg(not(unix))]
pub fn identity(path: &Path) -> io::Result<Identity> {
    fs::metadata(path).map(|_| (0, 0))
}

/// Rejects files of other owners and files that others may read. `what` names the file in the message.
///
/// # Errors
///
/// An error of kind `Other` for such files, and for all files on systems without file permissions.
#[cfg(unix)]
pub fn for_owner_alone(metadata: &fs::Metadata, what: &str) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    if metadata.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::other(format!("{what} belongs to another user")));
    }
    if metadata.mode() & 0o077 != 0 {
        return Err(io::Error::other(format!("{what} is accessible to other users")));
    }
    Ok(())
}

/// Rejects every file, because this system does not report who may read it.
///
/// # Errors
///
/// Always an error of kind `Other`.
#[cfg(not(unix))]
pub fn for_owner_alone(_: &fs::Metadata, what: &str) -> io::Result<()> {
    Err(io::Error::other(format!("this system does not report whether {what} is accessible to other users")))
}

/// Makes a new file readable for its owner alone.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Rejects symbolic links. Does not wait for the other end of a pipe.
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
    fn opening_a_pipe_does_not_block() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pipe");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        assert!(touch(&path).is_err());
    }
}
