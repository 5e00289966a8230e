//! The network interfaces of adjudicate. HTTP has every operation, of the built-in engine and of slots, and the administration of a
//! store. NATS has the operations, for hosts that share the work.
//!
//! ```text
//! socket -> limits, TLS -> HTTP/1.1 or 2 -> browser guard -> route -> token -> media type -> body -> concurrency limiter -> bytes
//! ```
//!
//! Owns the path from a socket to a call. The engine makes every decision, and writes the bytes of an answer. This crate is a
//! library, so that any program can start the server in its own process, for example a test. Without the feature `nats` (on by
//! default) it serves HTTP alone.
//!
//! ```
//! use std::{io::{Read, Write}, net::TcpStream};
//! use adjudicate_serve::{Native, Server, ServerSettings};
//! let server = Server::start(ServerSettings::default(), Native::default(), None)?;
//! let mut socket = TcpStream::connect(server.address()).unwrap();
//! socket.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").unwrap();
//! let mut answer = String::new();
//! socket.read_to_string(&mut answer).unwrap();
//! assert!(answer.starts_with("HTTP/1.1 200 OK"));
//! server.drain();
//! # Ok::<(), adjudicate_core::Error>(())
//! ```

mod activity;
mod admin;
mod app;
mod auth;
mod backpressure;
mod body;
mod call_stream;
mod calls;
pub mod codes;
mod connection;
mod documents;
mod failed_logins;
mod handler;
mod health;
mod hooks;
mod limiter;
mod mcp;
mod metrics;
#[cfg(feature = "nats")]
mod nats;
mod openapi;
mod reply;
mod request_record;
mod routes;
mod server;
mod settings;
mod signals;
#[cfg(unix)]
mod socket;
mod spans;
mod tls;

/// The types of requests and replies of a [`McpHandler`].
pub use axum::{
    body::{Body, Bytes},
    http,
};
pub use handler::{CallHandler, McpHandler, McpReply, Native};
pub use limiter::CallPermit;
#[cfg(feature = "nats")]
pub use nats::{ClusterState, Group, Nats};
pub use reply::status_of;
pub use request_record::{LogLine, LogTo};
pub use routes::{BodyContent, HttpRoute, RequiredAccess, routes};
pub use server::{Drained, Server};
pub use settings::{Exposure, RequestLimits, ServerSettings};
pub use signals::Signals;
pub use tls::TlsFiles;

/// The NATS interface without the feature `nats`: a type without values.
#[cfg(not(feature = "nats"))]
mod nats {
    use tokio::time::Instant;

    use crate::documents::Membership;

    /// The membership of a server in a cluster. Without the feature there is none.
    #[derive(Debug)]
    pub(crate) enum NatsTransport {}

    impl NatsTransport {
        pub(crate) fn membership(&self) -> Membership {
            match *self {}
        }

        pub(crate) async fn finish(&self, _: Instant) -> usize {
            match *self {}
        }
    }
}

/// In place of Unix sockets, where the system has none.
#[cfg(not(unix))]
mod socket {
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
}
