//! The life of a server: it checks its settings, binds, listens, and drains. Draining lets requests finish until a deadline.

use std::{
    net::SocketAddr,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use adjudicate_core::Error;
use adjudicate_host::Slots;
use tokio::{
    net::TcpListener,
    runtime::{Builder, Runtime},
    time::{Instant, MissedTickBehavior, interval, sleep, timeout_at},
};

use crate::{
    admin::StorePools,
    app::App,
    auth::Auth,
    calls::Calls,
    codes,
    connection::Connections,
    handler::CallHandler,
    health::Health,
    limiter::{ConcurrencyLimiter, keep_large_blocks_apart},
    metrics::Metrics,
    request_record::{Log, Observers},
    settings::{RequestLimits, ServerSettings},
    signals::{Signal, Signals},
    socket,
    spans::Spans,
    tls::Tls,
};

#[cfg(feature = "nats")]
use crate::nats::{Group, Nats, NatsTransport};

/// The stack size of every thread that may run guest code or read a deep document.
const STACK_BYTES: usize = 4 << 20;

/// The interval at which the server reads the tokens again and checks the slots.
const REFRESH: Duration = Duration::from_millis(500);

/// The end of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drained {
    /// The number of connections that were cut at the deadline.
    pub connections_cut: usize,
    /// The number of calls over NATS that were received and not answered.
    pub messages_cut: usize,
    /// True if the log is complete. It is not if its reader was too slow or stopped reading.
    pub is_log_written: bool,
}

/// A server that listens. If it is dropped without [`drain`](Self::drain), it ends at once.
pub struct Server {
    runtime: Runtime,
    connections: Connections,
    address: SocketAddr,
    settings: ServerSettings,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Server {
    /// Starts a server. `handler` answers calls without a slot; `slots` answers calls of slots and administration.
    ///
    /// # Errors
    ///
    /// - [`codes::WRONG_USAGE`] for settings that expose the server without protection, or that cannot work.
    /// - [`codes::UNREADABLE_INPUT`] for a certificate or key that cannot be read.
    /// - [`codes::STORE_FAULT`] for a store that cannot be read.
    /// - [`codes::HOST_FAULT`] if the server cannot listen on the address.
    pub fn start(
        settings: ServerSettings,
        handler: impl CallHandler,
        slots: Option<Slots>,
    ) -> Result<Self, Error> {
        let store = slots.as_ref().map(|slots| slots.store().clone());
        let keyring = store.as_ref().map(|store| store.keyring()).transpose()?.unwrap_or_default();
        settings.check(!keyring.is_empty())?;
        let tls = settings.tls.as_ref().map(Tls::load).transpose()?.map(Arc::new);
        let metrics = Arc::new(Metrics::new());
        // The log has the ids of traces, too.
        let is_observed = settings.otlp.is_some() || settings.log.is_some();
        let spans = is_observed.then(|| Spans::new(settings.otlp.as_deref(), &metrics)).transpose()?;
        let log = settings.log.as_ref().map(|to| Log::open(to, Arc::clone(&metrics))).transpose()?;
        keep_large_blocks_apart();
        let runtime = runtime(&settings.limits)?;
        let listener = runtime.block_on(TcpListener::bind(settings.listen));
        let bound = listener.and_then(|listener| Ok((listener.local_addr()?, listener)));
        let (address, listener) =
            bound.map_err(|error| fault(&format!("cannot listen on `{}`", settings.listen), error))?;
        let socket = settings.socket.as_deref().map(|path| {
            let _inside = runtime.enter();
            socket::bind(path)
                .map_err(|error| fault(&format!("cannot listen on `{}`", path.display()), error))
        });
        let socket = socket.transpose()?;
        let app = Arc::new(App {
            auth: Auth::new(&settings, store, keyring, (settings.clock)()),
            calls: Arc::new(Calls::new(Box::new(handler), slots, settings.limits.clone())),
            mcp: settings.mcp.clone(),
            store_pools: StorePools {
                reading: ConcurrencyLimiter::new(2, 0, 32, Duration::from_secs(5)),
                changing: ConcurrencyLimiter::new(2, 0, 16, Duration::from_secs(10)),
            },
            health: Health::default(),
            observers: Arc::new(Observers { metrics, log, spans }),
            clock: settings.clock,
        });
        // Loads the slots before the first call. Loading may take longer than the tokens stay valid without another reading.
        app.check_slots();
        app.auth.refresh(app.now());
        let connections = Connections::new(&app, tls);
        if let Some(socket) = socket {
            // TLS would protect nothing that the system does not.
            let mut plain = connections.clone();
            plain.tls = None;
            runtime.spawn(plain.listen(socket));
        }
        runtime.spawn(connections.clone().listen(listener));
        runtime.spawn(run_repeatedly(Arc::clone(&app), |app| app.auth.refresh(app.now())));
        runtime.spawn(run_repeatedly(Arc::clone(&app), App::check_slots));
        runtime.spawn(run_repeatedly(app, |app| app.calls.freed_memory.return_memory()));
        Ok(Self { runtime, connections, address, settings })
    }

    /// Makes this server join a cluster: `/readyz` and `/metrics` report its state there. Returns the queue group. To
    /// answer calls over NATS, too, join the group, now or later; the server leaves it when it is drained. Call this once.
    ///
    /// # Errors
    ///
    /// [`codes::WRONG_USAGE`] if the server already belongs to a cluster.
    #[cfg(feature = "nats")]
    pub fn group(&self, nats: Nats) -> Result<Group, Error> {
        let App { calls, observers, health, .. } = &*self.connections.app;
        let transport = NatsTransport::new(nats, Arc::clone(calls), Arc::clone(observers));
        let transport = Arc::new(transport);
        if health.transport.set(Arc::clone(&transport)).is_err() {
            return Err(Error::new(codes::WRONG_USAGE, "the server already belongs to a cluster"));
        }
        self.runtime.spawn(run_repeatedly(Arc::clone(&transport), NatsTransport::refresh));
        let closing = self.connections.closing.clone();
        Ok(Group { transport, runtime: self.runtime.handle().clone(), closing })
    }

    /// Returns the address that the server listens on.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns true if the server uses TLS.
    #[must_use]
    pub const fn is_secured(&self) -> bool {
        self.connections.tls.is_some()
    }

    /// Handles signals from now on. Call this before you announce that the server listens: an earlier signal ends the process
    /// without draining.
    ///
    /// # Errors
    ///
    /// [`codes::HOST_FAULT`] if no handler can be installed.
    pub fn signals(&self) -> Result<Signals, Error> {
        let _inside = self.runtime.enter();
        Signals::install().map_err(|error| fault("cannot handle signals", error))
    }

    /// Waits for SIGTERM or SIGINT. At SIGHUP, reads the certificate again and reports the outcome to `tell`. A second SIGTERM or
    /// SIGINT, while the server is drained, ends the process at once.
    pub fn wait(&self, mut signals: Signals, tell: impl Fn(&str)) {
        self.runtime.block_on(async {
            while signals.next().await == Signal::Reload {
                match self.connections.tls.as_ref().map(|tls| tls.reload()) {
                    None => tell(r#"{"reloaded":false}"#),
                    Some(Ok(())) => tell(r#"{"reloaded":true}"#),
                    Some(Err(error)) => tell(&error.to_json()),
                }
            }
            tokio::spawn(async move {
                while signals.next().await == Signal::Reload {}
                // The second signal asks to end without waiting.
                std::process::exit(1);
            });
        });
    }

    /// Drains and ends the server: `/readyz` returns 503, the server stops listening after a delay, answers the requests that are
    /// under way until a deadline, and writes its log and traces.
    pub fn drain(self) -> Drained {
        let Self { runtime, connections, settings, .. } = self;
        let Connections { app, closing, permits, .. } = connections;
        app.health.is_draining.store(true, Ordering::Relaxed);
        let (connections_cut, messages_cut) = runtime.block_on(async {
            sleep(settings.drain_delay).await;
            closing.cancel();
            if let Some(mcp) = &app.mcp {
                mcp.stop();
            }
            let end = Instant::now() + settings.drain_deadline;
            let most = settings.limits.connections;
            let connections = async {
                // With all permits there is no connection left.
                let _ = timeout_at(end, permits.acquire_many(most)).await;
                (most as usize).saturating_sub(permits.available_permits())
            };
            let messages = async {
                match app.health.transport.get() {
                    Some(transport) => transport.finish(end).await,
                    None => 0,
                }
            };
            tokio::join!(connections, messages)
        });
        // After the runtime has ended, no task writes log lines or spans.
        runtime.shutdown_timeout(Duration::from_secs(1));
        app.observers.spans.iter().for_each(Spans::stop);
        let is_log_written = app.observers.log.as_ref().is_none_or(Log::close);
        Drained { connections_cut, messages_cut, is_log_written }
    }
}

fn runtime(limits: &RequestLimits) -> Result<Runtime, Error> {
    Builder::new_multi_thread()
        .thread_name("adjudicate-serve")
        .thread_stack_size(STACK_BYTES)
        // Calls, administration, and a few of the runtime's own.
        .max_blocking_threads(limits.calls as usize + 8)
        .enable_all()
        .build()
        .map_err(|error| fault("cannot start threads", error))
}

fn fault(message: &str, source: std::io::Error) -> Error {
    Error::caused_by(codes::HOST_FAULT, message, source)
}

/// Runs a function at an interval, on a thread that may wait for the disk. Each function has a schedule of its own, because a
/// slot may take long to load, and [`Auth`] rejects all tokens if they were not read for some time.
async fn run_repeatedly<T: Send + Sync + 'static>(state: Arc<T>, act: fn(&T)) {
    let mut period = interval(REFRESH);
    period.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        period.tick().await;
        let state = Arc::clone(&state);
        let _ = tokio::task::spawn_blocking(move || act(&state)).await;
    }
}
