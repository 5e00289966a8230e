//! The listening sockets: accept connections up to the limit, and a few more that get an answer about health, or 503.

use std::{future::Future, io, net::SocketAddr, sync::Arc, time::Duration};

use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::sleep,
};

use crate::connection::Connections;

/// A listening socket.
pub(crate) trait Listener: Send + 'static {
    type Stream: AsyncRead + AsyncWrite + Send + Unpin + 'static;

    /// Returns the next connection, with the address of its client.
    fn accept(&self) -> impl Future<Output = io::Result<(Self::Stream, SocketAddr)>> + Send;
}

impl Listener for TcpListener {
    type Stream = TcpStream;

    async fn accept(&self) -> io::Result<(TcpStream, SocketAddr)> {
        let (socket, from) = Self::accept(self).await?;
        // Replies are complete when they are written, so Nagle's algorithm would only delay them.
        let _ = socket.set_nodelay(true);
        Ok((socket, from))
    }
}

/// The connections beyond the limit, on which the server answers one request. Further ones are closed.
pub(crate) const RESERVE: usize = 64;

/// Accepts connections up to the limit.
pub(crate) async fn listen(
    listener: impl Listener,
    shared: Connections,
    permits: Arc<Semaphore>,
    reserve: Arc<Semaphore>,
    most: usize,
) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = shared.closing.cancelled() => return,
        };
        let (socket, from) = match accepted {
            Ok(accepted) => accepted,
            // Most likely no file descriptors are left; wait for other connections to end.
            Err(_) => {
                shared.app.observers.metrics.shed("accept");
                sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let permit = Arc::clone(&permits).try_acquire_owned();
        let is_beyond = permit.is_err();
        let Ok(permit) = permit.or_else(|_| Arc::clone(&reserve).try_acquire_owned()) else {
            shared.app.observers.metrics.shed("connection");
            continue;
        };
        let shared = Connections { is_beyond, ..shared.clone() };
        let all = Arc::clone(&permits);
        tokio::spawn(async move {
            let _place = permit;
            let gauge = shared.app.observers.metrics.connections.clone();
            gauge.inc();
            shared.run(socket, from, || all.available_permits() <= most / 4).await;
            gauge.dec();
        });
    }
}
