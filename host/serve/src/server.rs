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
    sync::Semaphore,
    time::{Instant, MissedTickBehavior, interval, sleep, timeout_at},
};
use tokio_util::sync::CancellationToken;

#[cfg(feature = "nats")]
use crate::nats::{Group, Nats, NatsTransport, Service};
use crate::{
    admin::StorePools,
    app::{self, App},
    auth::Auth,
    calls::Calls,
    codes,
    connection::{Connections, builder},
    handler::CallHandler,
    health::Health,
    idle::IdleLimit,
    limiter::ConcurrencyLimiter,
    listen::{RESERVE, listen},
    log::Log,
    memory::keep_large_blocks_apart,
    metrics::Metrics,
    request_record::Observers,
    settings::{RequestLimits, ServerSettings},
    signals::{Signal, Signals},
    socket,
    spans::Spans,
    tls::Tls,
};

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
    app: Arc<App>,
    address: SocketAddr,
    tls: Option<Arc<Tls>>,
    closing: CancellationToken,
    /// One permit for each connection, up to the limit.
    permits: Arc<Semaphore>,
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
        let runtime = runtime(&settings)?;
        let listener = runtime.block_on(TcpListener::bind(settings.listen)).and_then(|listener| {
            let address = listener.local_addr()?;
            Ok((listener, address))
        });
        let (listener, address) =
            listener.map_err(|error| fault(&format!("cannot listen on `{}`", settings.listen), error))?;
        let socket = settings.socket.as_deref().map(|path| {
            let _inside = runtime.enter();
            socket::bind(path)
                .map_err(|error| fault(&format!("cannot listen on `{}`", path.display()), error))
        });
        let socket = socket.transpose()?;
        let read_pool = Arc::new(ConcurrencyLimiter::new(2, 0, 32, Duration::from_secs(5)));
        let auth = Auth::new(&settings, store, keyring, (settings.clock)());
        // Loads the slots, before the first call.
        let health = Health::new(slots.clone(), Arc::clone(&metrics), Arc::clone(&read_pool));
        let app = Arc::new(App {
            auth,
            calls: Arc::new(Calls::new(Box::new(handler), slots, settings.limits.clone())),
            mcp: settings.mcp.clone(),
            store_pools: StorePools {
                reading: read_pool,
                changing: ConcurrencyLimiter::new(2, 0, 16, Duration::from_secs(10)),
            },
            health: Arc::new(health),
            observers: Arc::new(Observers { metrics, log, spans }),
            clock: settings.clock,
        });
        let limits = &app.calls.limits;
        let closing = CancellationToken::new();
        let shared = Connections {
            router: app::router(&app),
            builder: builder(limits),
            tls: tls.clone(),
            closing: closing.clone(),
            idle: IdleLimit::new(limits.idle_by_address, Arc::clone(&app.observers.metrics)),
            is_beyond: false,
            app: Arc::clone(&app),
        };
        let most = limits.connections as usize;
        let [permits, reserve] = [most, RESERVE].map(|places| Arc::new(Semaphore::new(places)));
        // Loading the slots may have taken longer than the tokens stay valid without another reading.
        app.auth.refresh(app.now());
        if let Some(socket) = socket {
            // TLS would protect nothing that the system does not.
            let shared = Connections { tls: None, ..shared.clone() };
            runtime.spawn(listen(socket, shared, Arc::clone(&permits), Arc::clone(&reserve), most));
        }
        runtime.spawn(listen(listener, shared, Arc::clone(&permits), reserve, most));
        runtime.spawn(run_repeatedly(Arc::clone(&app), |app| app.auth.refresh(app.now())));
        runtime.spawn(run_repeatedly(Arc::clone(&app), |app| app.health.check_slots()));
        runtime.spawn(run_repeatedly(Arc::clone(&app), |app| app.calls.freed_memory.return_memory()));
        Ok(Self { runtime, app, address, tls, closing, permits, settings })
    }

    /// Makes this server join a cluster: `/readyz` and `/metrics` report its state there. Returns the queue group. To
    /// answer calls over NATS, too, join the group, now or later; the server leaves it when it is drained. Call this once.
    ///
    /// # Errors
    ///
    /// [`codes::WRONG_USAGE`] if the server already belongs to a cluster.
    #[cfg(feature = "nats")]
    pub fn group(&self, nats: Nats) -> Result<Group, Error> {
        let RequestLimits { calls, queue, .. } = self.app.calls.limits;
        let transport = Arc::new(NatsTransport::new(nats, calls.saturating_add(queue)));
        if self.app.health.transport.set(Arc::clone(&transport)).is_err() {
            return Err(Error::new(codes::WRONG_USAGE, "the server already belongs to a cluster"));
        }
        self.runtime.spawn(run_repeatedly(Arc::clone(&transport), NatsTransport::refresh));
        let App { calls, observers, .. } = &*self.app;
        let service = Service { calls: Arc::clone(calls), observers: Arc::clone(observers), transport };
        Ok(Group { service, runtime: self.runtime.handle().clone(), closing: self.closing.clone() })
    }

    /// Returns the address that the server listens on.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns true if the server uses TLS.
    #[must_use]
    pub const fn is_secured(&self) -> bool {
        self.tls.is_some()
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
                match self.tls.as_ref().map(|tls| tls.reload()) {
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
        let ServerSettings { drain_delay, drain_deadline, ref limits, .. } = self.settings;
        self.app.health.is_draining.store(true, Ordering::Relaxed);
        let transport = self.app.health.transport.get().cloned();
        let (connections_cut, messages_cut) = self.runtime.block_on(async {
            sleep(drain_delay).await;
            self.closing.cancel();
            if let Some(mcp) = &self.app.mcp {
                mcp.stop();
            }
            let end = Instant::now() + drain_deadline;
            let connections = async {
                // With all permits there is no connection left.
                let _ = timeout_at(end, self.permits.acquire_many(limits.connections)).await;
                (limits.connections as usize).saturating_sub(self.permits.available_permits())
            };
            let messages = async {
                match transport {
                    Some(transport) => transport.finish(end).await as usize,
                    None => 0,
                }
            };
            tokio::join!(connections, messages)
        });
        let connections_cut = connections_cut.min(limits.connections as usize);
        // After the runtime has ended, no task writes log lines or spans.
        let Self { runtime, app, .. } = self;
        runtime.shutdown_timeout(Duration::from_secs(1));
        app.observers.spans.iter().for_each(Spans::stop);
        let is_log_written = app.observers.log.as_ref().is_none_or(Log::close);
        Drained { connections_cut, messages_cut, is_log_written }
    }
}

fn runtime(settings: &ServerSettings) -> Result<Runtime, Error> {
    let RequestLimits { calls, .. } = settings.limits;
    let mut builder = Builder::new_multi_thread();
    if let Some(reactors) = settings.reactors {
        builder.worker_threads(reactors.max(1));
    }
    builder
        .thread_name("adjudicate-serve")
        .thread_stack_size(STACK_BYTES)
        // Calls, administration, and a few of the runtime's own.
        .max_blocking_threads(calls as usize + 8)
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
