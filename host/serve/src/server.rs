//! The server's life: it is checked and bound, listens, and ends without cutting anybody off who keeps to the time.

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
    sync::{Semaphore, watch},
    task::JoinHandle,
    time::{Instant, MissedTickBehavior, interval, sleep, timeout, timeout_at},
};

use crate::{
    account::Observers,
    admin::Desks,
    answers::Answers,
    app::{self, App},
    calls::Calls,
    connection::{Connections, builder},
    gate::Gate,
    health::Health,
    idle::Idle,
    lanes::Lanes,
    listen::listen,
    log::Log,
    memory::keep_large_blocks_apart,
    metrics::Metrics,
    openapi,
    otlp::{Collector, Exporter},
    phase::Phase,
    settings::{Limits, Settings},
    signals::{Asked, Signals},
    tls::Tls,
};
#[cfg(feature = "nats")]
use crate::{
    codes,
    nats::{Face, Group, Nats, Service},
};

/// Stack of every thread that may run guest code or read a deep document.
const STACK_BYTES: usize = 4 << 20;

/// How often the tokens are read anew, and the slots looked at.
const REFRESH: Duration = Duration::from_millis(500);

/// How a server ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drained {
    /// How many connections had to be cut.
    pub connections_cut: usize,
    /// How many calls over NATS were taken and not answered.
    pub messages_cut: usize,
    /// Whether the log is whole. Where it is not, whoever it is written to took too little of it, or stopped taking it.
    pub is_log_written: bool,
}

/// A server that listens. Dropped without [`drain`](Self::drain), it ends at once.
pub struct Server {
    runtime: Runtime,
    app: Arc<App>,
    address: SocketAddr,
    tls: Option<Arc<Tls>>,
    phase: watch::Sender<Phase>,
    /// One permit for each connection that there may be.
    places: Arc<Semaphore>,
    exporting: Option<JoinHandle<()>>,
    settings: Settings,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Server {
    /// Starts a server that answers calls by `answers`, and those of slots, and administration, by `slots`.
    ///
    /// # Errors
    ///
    /// [`codes::WRONG_USAGE`] for settings that would let others in who should not come, or that cannot work;
    /// [`codes::UNREADABLE_INPUT`] for a certificate or key; [`codes::STORE_FAULT`];
    /// [`codes::HOST_FAULT`] when the address cannot be listened on.
    pub fn start(settings: Settings, answers: impl Answers, slots: Option<Slots>) -> Result<Self, Error> {
        let store = slots.as_ref().map(|slots| slots.store().clone());
        let keyring = store.as_ref().map(|store| store.keyring()).transpose()?.unwrap_or_default();
        settings.check(!keyring.is_empty())?;
        let tls = settings.tls.as_ref().map(Tls::load).transpose()?.map(Arc::new);
        let collector = settings.otlp.as_deref().map(Collector::parse).transpose()?;
        let metrics = Arc::new(Metrics::new());
        let log = settings.log.as_ref().map(|to| Log::open(to, Arc::clone(&metrics))).transpose()?;
        keep_large_blocks_apart();
        let runtime = runtime(&settings)?;
        let listener = runtime.block_on(TcpListener::bind(settings.listen)).and_then(|listener| {
            let address = listener.local_addr()?;
            Ok((listener, address))
        });
        let (listener, address) = listener
            .map_err(|error| fault(format!("`{}` cannot be listened on: {error}", settings.listen)))?;
        let (exporter, exporting) = {
            let _inside = runtime.enter();
            collector.map(|collector| Exporter::start(collector, Arc::clone(&metrics))).unzip()
        };
        let desk = Arc::new(Lanes::new(2, 0, 32, Duration::from_secs(5)));
        let gate = Gate::new(&settings, store, keyring, (settings.clock)());
        // Slots are loaded here, before the first call comes.
        let health = Health::new(slots.clone(), Arc::clone(&metrics), Arc::clone(&desk));
        let app = Arc::new(App {
            gate,
            calls: Arc::new(Calls::new(Box::new(answers), slots, settings.limits.clone())),
            desks: Desks { reading: desk, changing: Lanes::new(2, 0, 16, Duration::from_secs(10)) },
            health: Arc::new(health),
            observers: Arc::new(Observers { metrics, log, exporter }),
            document: openapi::document().to_string().into(),
            clock: settings.clock,
        });
        let limits = &app.calls.limits;
        let (phase, seen) = watch::channel(Phase::Serving);
        let shared = Connections {
            router: app::router(&app),
            builder: builder(limits),
            tls: tls.clone(),
            phase: seen,
            idle: Idle::new(limits.idle_by_address, Arc::clone(&app.observers.metrics)),
            app: Arc::clone(&app),
        };
        let places = Arc::new(Semaphore::new(limits.connections as usize));
        // Loading the slots may have taken longer than tokens are believed.
        app.gate.refresh(app.now());
        runtime.spawn(listen(listener, shared, Arc::clone(&places)));
        runtime.spawn(repeatedly(Arc::clone(&app), |app| app.gate.refresh(app.now())));
        runtime.spawn(repeatedly(Arc::clone(&app), |app| app.health.look_at_slots()));
        runtime.spawn(repeatedly(Arc::clone(&app), |app| app.calls.left_behind.give_back()));
        Ok(Self { runtime, app, address, tls, phase, places, exporting, settings })
    }

    /// Says that this server is one of a cluster: `/readyz` and `/metrics` tell how it stands there. Answers the queue group that it can
    /// join, now or later, to answer calls over NATS, too; it leaves that when it is drained. Once.
    ///
    /// # Errors
    ///
    /// [`codes::WRONG_USAGE`] where it was said before.
    #[cfg(feature = "nats")]
    pub fn group(&self, nats: Nats) -> Result<Group, Error> {
        let Limits { calls, queue, .. } = self.app.calls.limits;
        let face = Arc::new(Face::new(nats, calls.saturating_add(queue)));
        if self.app.health.face.set(Arc::clone(&face)).is_err() {
            return Err(Error::new(codes::WRONG_USAGE, "the server is one of a cluster already"));
        }
        self.runtime.spawn(look(Arc::clone(&face)));
        let App { calls, observers, .. } = &*self.app;
        let service = Service { calls: Arc::clone(calls), observers: Arc::clone(observers), face };
        Ok(Group { service, runtime: self.runtime.handle().clone(), phase: self.phase.subscribe() })
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Whether it speaks TLS.
    #[must_use]
    pub const fn is_secured(&self) -> bool {
        self.tls.is_some()
    }

    /// Takes signals from now on. Whoever says that the server listens takes them first: one that comes earlier ends the process as
    /// if nobody cared.
    ///
    /// # Errors
    ///
    /// [`codes::HOST_FAULT`] when signals cannot be waited for.
    pub fn signals(&self) -> Result<Signals, Error> {
        let _inside = self.runtime.enter();
        Signals::take().map_err(|error| fault(format!("signals cannot be waited for: {error}")))
    }

    /// Waits for SIGTERM or SIGINT; reads the certificate again at SIGHUP. A second one of those two while the server is
    /// drained ends the process at once.
    pub fn wait(&self, mut signals: Signals, tell: impl Fn(&str)) {
        self.runtime.block_on(async {
            while signals.next().await == Asked::ToReload {
                match self.tls.as_ref().map(|tls| tls.reload()) {
                    None => tell(r#"{"reloaded":false}"#),
                    Some(Ok(())) => tell(r#"{"reloaded":true}"#),
                    Some(Err(error)) => tell(&error.to_json()),
                }
            }
            tokio::spawn(async move {
                while signals.next().await == Asked::ToReload {}
                // Whoever asks twice does not want to wait.
                std::process::exit(1);
            });
        });
    }

    /// Ends: says that it is not ready, stops listening after a while, lets requests that are under way be answered, and
    /// writes what is to be written.
    pub fn drain(self) -> Drained {
        let Settings { drain_delay, drain_deadline, ref limits, .. } = self.settings;
        self.app.health.is_draining.store(true, Ordering::Relaxed);
        let face = self.app.health.face.get().cloned();
        let (connections_cut, messages_cut) = self.runtime.block_on(async {
            sleep(drain_delay).await;
            let _ = self.phase.send(Phase::Closing);
            let end = Instant::now() + drain_deadline;
            let connections = async {
                // Who has all places has nobody left.
                let _ = timeout_at(end, self.places.acquire_many(limits.connections)).await;
                (limits.connections as usize).saturating_sub(self.places.available_permits())
            };
            let messages = async {
                let Some(face) = face else { return 0 };
                let Some(messages) = face.leave(end).await else { return 0 };
                let _ = timeout_at(end, messages).await;
                face.finish(end).await as usize
            };
            tokio::join!(connections, messages)
        });
        let connections_cut = connections_cut.min(limits.connections as usize);
        // Tasks that are left hold the application; without them, spans and lines have nobody to come from.
        let Self { runtime, app, exporting, .. } = self;
        if let (Some(exporter), Some(exporting)) = (&app.observers.exporter, exporting) {
            exporter.stop();
            let _ = runtime.block_on(async { timeout(Duration::from_secs(5), exporting).await });
        }
        runtime.shutdown_timeout(Duration::from_secs(1));
        let is_log_written = app.observers.log.as_ref().is_none_or(Log::close);
        Drained { connections_cut, messages_cut, is_log_written }
    }
}

fn runtime(settings: &Settings) -> Result<Runtime, Error> {
    let Limits { calls, .. } = settings.limits;
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
        .map_err(|error| fault(format!("no threads can be started: {error}")))
}

fn fault(message: String) -> Error {
    Error::new(codes::HOST_FAULT, message)
}

/// Does something now and then, where it may wait for the disk: reading the tokens, so that what changed in the store holds here
/// too, and looking how the slots are. Each has a schedule of its own, for a slot may take long to load, and tokens that were not
/// read for a while are not believed.
async fn repeatedly(app: Arc<App>, act: fn(&App)) {
    let mut period = interval(REFRESH);
    period.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        period.tick().await;
        let app = Arc::clone(&app);
        let _ = tokio::task::spawn_blocking(move || act(&app)).await;
    }
}

/// Looks now and then how this host stands with the others.
#[cfg(feature = "nats")]
async fn look(face: Arc<Face>) {
    let mut period = interval(REFRESH);
    loop {
        period.tick().await;
        let face = Arc::clone(&face);
        let _ = tokio::task::spawn_blocking(move || face.refresh()).await;
    }
}
