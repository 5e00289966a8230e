//! One connection: TLS, limits of time and size, and the end of idle connections.

use std::{convert::Infallible, net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    body::Body,
    http::{HeaderValue, Version, header},
};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::{sleep, timeout},
};
use tokio_util::{io::InspectWriter, sync::CancellationToken};

use crate::{
    activity::{Activity, Peer},
    app::{App, serve},
    codes, hooks,
    idle::IdleLimit,
    reply::Refusal,
    settings::RequestLimits,
    tls::Tls,
};

/// The state that all connections share.
#[derive(Clone)]
pub(crate) struct Connections {
    pub(crate) app: Arc<App>,
    pub(crate) router: Router,
    pub(crate) builder: auto::Builder<TokioExecutor>,
    pub(crate) tls: Option<Arc<Tls>>,
    /// Cancelled when the server accepts no new connections, and closes idle ones.
    pub(crate) closing: CancellationToken,
    pub(crate) idle: Arc<IdleLimit>,
    /// True for a connection beyond the limit, which serves one request about health.
    pub(crate) is_beyond: bool,
}

/// Returns the HTTP settings with the limits of the server.
pub(crate) fn builder(limits: &RequestLimits) -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_headers(limits.headers)
        .max_buf_size(limits.head_bytes);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(64)
        .max_header_list_size(u32::try_from(limits.head_bytes).unwrap_or(u32::MAX))
        .initial_stream_window_size(256 << 10)
        .initial_connection_window_size(1 << 20)
        .max_send_buf_size(256 << 10)
        // Too many streams that are opened and reset at once ("rapid reset") end the connection.
        .max_pending_accept_reset_streams(16)
        .max_local_error_reset_streams(64)
        .keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(10));
    builder
}

impl Connections {
    /// Serves the connection until it ends. `is_crowded` returns true if connections are scarce.
    pub(crate) async fn run<S: AsyncRead + AsyncWrite + Send + Unpin + 'static>(
        self,
        socket: S,
        from: SocketAddr,
        is_crowded: impl Fn() -> bool,
    ) {
        let activity = Activity::new(Arc::clone(&self.idle), from.ip());
        match self.tls.as_ref().map(|tls| tls.acceptor()) {
            None => self.drive(socket, &activity, from, is_crowded).await,
            Some(acceptor) => {
                let patience = self.patience(is_crowded());
                let secured = tokio::select! {
                    secured = timeout(patience, acceptor.accept(socket)) => secured,
                    () = activity.has_to_end() => return,
                };
                let Ok(Ok(secured)) = secured else { return };
                self.drive(secured, &activity, from, is_crowded).await;
            }
        }
    }

    /// The time that the server waits for a request.
    fn patience(&self, is_crowded: bool) -> Duration {
        let head = self.app.calls.limits.head;
        if self.is_beyond || is_crowded { head.min(Duration::from_secs(1)) } else { head }
    }

    async fn drive<S: AsyncRead + AsyncWrite + Send + Unpin + 'static>(
        self,
        stream: S,
        activity: &Arc<Activity>,
        address: SocketAddr,
        is_crowded: impl Fn() -> bool,
    ) {
        let limits = self.app.calls.limits.clone();
        let service = service_fn(|request: hyper::Request<Incoming>| {
            let (in_progress, count) = activity.begin();
            let peer = Peer { address, in_progress: Arc::new(in_progress) };
            let is_last = (self.is_beyond || count >= limits.requests_per_connection)
                && request.version() < Version::HTTP_2;
            let path = request.uri().path();
            let is_health = matches!(path, "/healthz" | "/readyz");
            let is_refused = self.is_beyond && (!is_health || count > 1);
            let refused = is_refused.then(|| {
                self.app.observers.metrics.shed("connection");
                let message = "too many connections; try again later";
                hooks::refuse(path, Refusal::new(codes::HOST_OVERLOADED, message))
            });
            let reply =
                serve(Arc::clone(&self.app), self.router.clone(), peer.clone(), request.map(Body::new));
            async move {
                let mut reply = match refused {
                    Some(reply) => reply,
                    None => reply.await,
                };
                if is_last {
                    reply.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
                }
                drop(peer);
                Ok::<_, Infallible>(reply)
            }
        });
        let builder = self.builder.clone();
        // Bytes that the client read are an activity.
        let written = Arc::clone(activity);
        let stream = InspectWriter::new(stream, move |_: &[u8]| written.touch());
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        tokio::pin!(connection);
        let mut is_ending = false;
        loop {
            let patience = self.patience(is_crowded());
            let idle = activity.idle();
            if idle.is_some_and(|idle| idle >= patience) || activity.is_overdue() {
                break;
            }
            let look_again = patience.saturating_sub(idle.unwrap_or_default());
            tokio::select! {
                // An error of the connection concerns only this client; the connection is over.
                _ = connection.as_mut() => break,
                () = activity.has_to_end() => break,
                () = self.closing.cancelled(), if !is_ending => {
                    connection.as_mut().graceful_shutdown();
                    is_ending = true;
                }
                () = sleep(look_again.clamp(Duration::from_millis(50), Duration::from_secs(1))) => {
                    let is_over = activity.age() >= limits.connection_age
                        || (self.is_beyond && activity.has_begun());
                    if is_over && !is_ending {
                        connection.as_mut().graceful_shutdown();
                        is_ending = true;
                    }
                }
            }
        }
        activity.end();
    }
}
