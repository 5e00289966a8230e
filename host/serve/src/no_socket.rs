//! In place of Unix sockets, where the system has none.

use std::{io, net::SocketAddr, path::Path};

use tokio::net::TcpStream;

use crate::connection::Listener;

/// A socket that cannot listen.
#[derive(Debug)]
pub(crate) enum NoSocket {}

pub(crate) fn bind(_: &Path) -> io::Result<NoSocket> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "this system has no Unix sockets"))
}

impl Listener for NoSocket {
    type Stream = TcpStream;

    async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        match *self {}
    }
}
