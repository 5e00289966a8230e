//! Connections: accepted up to a limit, and a few more that get an answer about health, or 503. Each has TLS, limits of time and size, and
//! ends if it is idle.

use std::{convert::Infallible, future::Future, io, net::SocketAddr, sync::Arc, time::Duration};

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
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::{Instant, sleep, timeout},
};
use tokio_util::{io::InspectWriter, sync::CancellationToken};

use crate::{
    activity::{Activity, Peer},
    app::{App, router, serve},
    codes,
    failed_logins::IdleLimit,
    hooks,
    reply::Refusal,
    settings::RequestLimits,
    tls::Tls,
};

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
const RESERVE: usize = 64;

/// The state that all connections share.
#[derive(Clone)]
pub(crate) struct Connections {
    pub(crate) app: Arc<App>,
    router: Router,
    builder: auto::Builder<TokioExecutor>,
    pub(crate) tls: Option<Arc<Tls>>,
    /// Cancelled when the server accepts no new connections, and closes idle ones.
    pub(crate) closing: CancellationToken,
    idle: Arc<IdleLimit>,
    /// One permit for each connection, up to the limit.
    pub(crate) permits: Arc<Semaphore>,
    /// One permit for each connection beyond the limit.
    reserve: Arc<Semaphore>,
    /// True for a connection beyond the limit, which serves one request about health.
    is_beyond: bool,
}

/// Returns the HTTP settings with the limits of the server.
fn builder(limits: &RequestLimits) -> auto::Builder<TokioExecutor> {
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
    pub(crate) fn new(app: &Arc<App>, tls: Option<Arc<Tls>>) -> Self {
        let limits = &app.calls.limits;
        let [permits, reserve] =
            [limits.connections as usize, RESERVE].map(|places| Arc::new(Semaphore::new(places)));
        Self {
            app: Arc::clone(app),
            router: router(app),
            builder: builder(limits),
            tls,
            closing: CancellationToken::new(),
            idle: IdleLimit::new(limits.idle_by_address, Arc::clone(&app.observers.metrics)),
            permits,
            reserve,
            is_beyond: false,
        }
    }

    /// Accepts connections until the server closes.
    pub(crate) async fn listen(self, listener: impl Listener) {
        let metrics = &self.app.observers.metrics;
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = self.closing.cancelled() => return,
            };
            let Ok((socket, from)) = accepted else {
                // Most likely no file descriptors are left; wait for other connections to end.
                metrics.shed("accept");
                sleep(Duration::from_millis(50)).await;
                continue;
            };
            let permit = Arc::clone(&self.permits).try_acquire_owned();
            let is_beyond = permit.is_err();
            let Ok(permit) = permit.or_else(|_| Arc::clone(&self.reserve).try_acquire_owned()) else {
                metrics.shed("connection");
                continue;
            };
            let connections = Self { is_beyond, ..self.clone() };
            tokio::spawn(async move {
                let _place = permit;
                let gauge = connections.app.observers.metrics.connections.clone();
                gauge.inc();
                connections.run(socket, from).await;
                gauge.dec();
            });
        }
    }

    /// Serves a connection until it ends.
    async fn run<S: AsyncRead + AsyncWrite + Send + Unpin + 'static>(self, socket: S, from: SocketAddr) {
        let activity = Activity::new(Arc::clone(&self.idle), from.ip());
        match self.tls.as_ref().map(|tls| tls.acceptor()) {
            None => self.drive(socket, &activity, from).await,
            Some(acceptor) => {
                let secured = tokio::select! {
                    secured = timeout(self.patience(), acceptor.accept(socket)) => secured,
                    () = activity.has_to_end() => return,
                };
                let Ok(Ok(secured)) = secured else { return };
                self.drive(secured, &activity, from).await;
            }
        }
    }

    /// The time that the server waits for a request. It is short if connections are scarce.
    fn patience(&self) -> Duration {
        let limits = &self.app.calls.limits;
        let are_scarce = self.permits.available_permits() <= limits.connections as usize / 4;
        if self.is_beyond || are_scarce { limits.head.min(Duration::from_secs(1)) } else { limits.head }
    }

    async fn drive<S: AsyncRead + AsyncWrite + Send + Unpin + 'static>(
        self,
        stream: S,
        activity: &Arc<Activity>,
        address: SocketAddr,
    ) {
        let limits = &self.app.calls.limits;
        let begun = Instant::now();
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
        // Bytes that the client read are an activity.
        let written = Arc::clone(activity);
        let stream = InspectWriter::new(stream, move |_: &[u8]| written.touch());
        let connection = self.builder.serve_connection(TokioIo::new(stream), service);
        tokio::pin!(connection);
        let mut is_ending = false;
        loop {
            let patience = self.patience();
            let idle = activity.idle();
            if idle.is_some_and(|idle| idle >= patience) {
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
                    let is_over = begun.elapsed() >= limits.connection_age
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
