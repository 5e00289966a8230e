//! A Unix socket, to which only its owner can connect.

use std::{
    fs::{self, File, Metadata, Permissions, TryLockError},
    io,
    net::{Ipv4Addr, SocketAddr},
    os::unix::{
        fs::{FileTypeExt, MetadataExt, PermissionsExt},
        net::UnixStream as Probe,
    },
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use tempfile::Builder;
use tokio::net::{UnixListener, UnixStream};

use crate::connection::Listener;

/// The longest wait for another server that starts in the same folder.
const WAIT: Duration = Duration::from_secs(5);

/// The pause between two attempts to lock the folder.
const PAUSE: Duration = Duration::from_millis(10);

/// A socket that listens. When it is dropped, its file is removed, but not the file of another server.
#[derive(Debug)]
pub(crate) struct SocketListener {
    listener: UnixListener,
    path: PathBuf,
    file: FileId,
}

/// The device and the inode of a file.
type FileId = (u64, u64);

fn id(file: &Metadata) -> FileId {
    (file.dev(), file.ino())
}

/// Listens on a path. The file of a server that was killed is replaced.
///
/// The socket is bound in a folder of the owner alone, so no other user can connect before its permissions are set.
pub(crate) fn bind(path: &Path) -> io::Result<SocketListener> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let _lock = lock(folder)?;
    if let Ok(file) = fs::symlink_metadata(path) {
        check_abandoned(path, &file)?;
    }
    let only_owner = Permissions::from_mode(0o700);
    let private = Builder::new().prefix(".").rand_bytes(4).permissions(only_owner).tempdir_in(folder)?;
    let begun = private.path().join("s");
    let listener = UnixListener::bind(&begun)?;
    fs::set_permissions(&begun, Permissions::from_mode(0o600))?;
    let file = id(&fs::symlink_metadata(&begun)?);
    fs::rename(&begun, path)?;
    Ok(SocketListener { listener, path: path.to_owned(), file })
}

/// Locks a folder, so that of two servers that start on one path the second one finds the socket of the first.
fn lock(folder: &Path) -> io::Result<File> {
    let (file, end) = (File::open(folder)?, Instant::now() + WAIT);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < end => thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "another program locks the folder"));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Returns an error unless the file is the socket of a server that is gone.
fn check_abandoned(path: &Path, file: &Metadata) -> io::Result<()> {
    if !file.file_type().is_socket() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "the file is no socket"));
    }
    match Probe::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Ok(()),
        _ => Err(io::Error::new(io::ErrorKind::AddrInUse, "another server has the socket")),
    }
}

impl Listener for SocketListener {
    type Stream = UnixStream;

    /// The client is on this machine, so its address is that of the loopback.
    async fn accept(&self) -> io::Result<(UnixStream, SocketAddr)> {
        let (socket, _) = self.listener.accept().await?;
        Ok((socket, SocketAddr::from((Ipv4Addr::LOCALHOST, 0))))
    }
}

impl Drop for SocketListener {
    fn drop(&mut self) {
        // The listener is still open, so no server replaces the file in between.
        if fs::symlink_metadata(&self.path).is_ok_and(|file| id(&file) == self.file) {
            let _ = fs::remove_file(&self.path);
        }
    }
}
