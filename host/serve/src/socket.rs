//! A Unix socket, to which only its owner can connect.

use std::{
    fs::{self, Permissions},
    io,
    net::{Ipv4Addr, SocketAddr},
    os::unix::{
        fs::{FileTypeExt, PermissionsExt},
        net::UnixStream as Probe,
    },
    path::{Path, PathBuf},
};

use tokio::net::{UnixListener, UnixStream};

use crate::listen::Listener;

/// A socket that listens. When it is dropped, its file is removed.
#[derive(Debug)]
pub(crate) struct SocketListener {
    listener: UnixListener,
    path: PathBuf,
}

/// Listens on a path. The file of a server that was killed is replaced.
pub(crate) fn bind(path: &Path) -> io::Result<SocketListener> {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|about| about.file_type().is_socket());
    let is_left = |error: &io::Error| error.kind() == io::ErrorKind::ConnectionRefused;
    if is_socket && Probe::connect(path).is_err_and(|error| is_left(&error)) {
        fs::remove_file(path)?;
    }
    let socket = SocketListener { listener: UnixListener::bind(path)?, path: path.to_owned() };
    fs::set_permissions(path, Permissions::from_mode(0o600))?;
    Ok(socket)
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
        let _ = fs::remove_file(&self.path);
    }
}
