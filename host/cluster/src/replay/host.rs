//! A host's side: taking jobs from the queue, a few at a time, for as long as it serves.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use adjudicate_core::Error;
use adjudicate_host::{Slots, codes, reevaluation::Ceiling};
use async_nats::jetstream::{
    Message,
    consumer::{AckPolicy, PullConsumer, pull},
};
use futures_util::StreamExt;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    time::{sleep, timeout},
};

use super::{taken, versions::Versions};
use crate::{
    cluster::Cluster,
    fault::{failed, fault},
    layout::Kept,
};

/// What the hosts of a cluster take jobs from together.
const CONSUMER: &str = "hosts";
/// After how long without a word from its host a job is given to another one.
pub(super) const ACK_WAIT: Duration = Duration::from_secs(10);
/// How often a job is given to somebody at most.
pub(super) const MOST_TIMES: i64 = 10;
/// How long the server keeps a request for a job.
const EXPIRES: Duration = Duration::from_secs(5);
/// How long to wait before asking again where asking failed.
const PAUSE: Duration = Duration::from_secs(1);

/// How a host takes part in replays.
///
/// ```
/// use adjudicate_cluster::ReplayHost;
/// let host = ReplayHost { at_once: 2, ..ReplayHost::default() };
/// assert!(!host.ceiling.unsigned);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayHost {
    /// What it is called where it is told who decided: up to 64 letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// How many jobs are decided at once, each on a thread of its own. Default: one for every two processors.
    pub at_once: usize,
    /// What modules may use at most, and whether they need signatures.
    pub ceiling: Ceiling,
    /// How many versions are kept loaded. Default 8.
    pub versions: usize,
}

impl Default for ReplayHost {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            name: format!("host-{}", std::process::id()),
            at_once: processors.div_ceil(2),
            ceiling: Ceiling::default(),
            versions: 8,
        }
    }
}

/// Taking part in replays, until it is dropped.
///
/// ```no_run
/// # use adjudicate_cluster::{Cluster, Settings};
/// # let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
/// # use adjudicate_sandbox::Host;
/// # use adjudicate_host::{Slots, Store};
/// # let store = Store::open("store".as_ref())?;
/// # let host = Host::new(adjudicate_sandbox::Settings::default())?;
/// # let slots = Slots::open(store, host)?;
/// # let replays = cluster.serve_replays(&slots, adjudicate_cluster::ReplayHost::default())?;
/// // Jobs are taken until then.
/// replays.finish(std::time::Duration::from_secs(10));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Replays {
    cluster: Cluster,
    worker: Arc<Worker>,
    stop: watch::Sender<bool>,
}

/// What a host did for replays.
///
/// ```no_run
/// # use adjudicate_cluster::{Cluster, Settings};
/// # let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
/// # use adjudicate_sandbox::Host;
/// # use adjudicate_host::{Slots, Store};
/// # let store = Store::open("store".as_ref())?;
/// # let host = Host::new(adjudicate_sandbox::Settings::default())?;
/// # let slots = Slots::open(store, host)?;
/// # let replays = cluster.serve_replays(&slots, adjudicate_cluster::ReplayHost::default())?;
/// let worked = replays.worked();
/// println!("{} cases in {} jobs, {} declined", worked.cases, worked.jobs, worked.declined);
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Worked {
    /// Jobs that were decided, and confirmed.
    pub jobs: u64,
    /// Their cases.
    pub cases: u64,
    /// Jobs that were left to others.
    pub declined: u64,
    /// What was in the queue and is no job.
    pub garbage: u64,
}

/// What deciding jobs needs.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) cluster: Cluster,
    pub(super) name: String,
    pub(super) versions: Versions,
    at_once: usize,
    free: Arc<Semaphore>,
    worked: Mutex<(Worked, Option<Error>)>,
}

impl Cluster {
    /// Takes part in replays, in the background: jobs are taken from the queue one after the other, and what their cases come to is told
    /// to whoever asked. Modules come from the object store, are judged by the trust policy of these slots' store, and put nothing in
    /// force. A queue that cannot be reached is tried again for as long as that takes: [`Replays::trouble`].
    ///
    /// # Errors
    ///
    /// [`wrong_usage`](adjudicate_host::codes::WRONG_USAGE) for a name that cannot be a host's, or nothing at once.
    ///
    /// ```no_run
    /// use adjudicate_cluster::{Cluster, ReplayHost, Settings};
    /// use adjudicate_sandbox::Host;
    /// use adjudicate_host::{Slots, Store};
    /// let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
    /// let slots = Slots::open(Store::open("store".as_ref())?, Host::new(adjudicate_sandbox::Settings::default())?)?;
    /// let replays = cluster.serve_replays(&slots, ReplayHost::default())?;
    /// println!("{} jobs", replays.worked().jobs);
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn serve_replays(&self, slots: &Slots, host: ReplayHost) -> Result<Replays, Error> {
        let ReplayHost { name, at_once, ceiling, versions } = host;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        if !(1..=64).contains(&name.len()) || !name.bytes().all(is_plain) {
            let message = "a host's name has 1 to 64 letters, digits, `-`, `_` and `.`";
            return Err(Error::new(codes::WRONG_USAGE, message));
        }
        if !(1..=1024).contains(&at_once) {
            return Err(Error::new(codes::WRONG_USAGE, "1 to 1024 jobs can be decided at once"));
        }
        let worker = Arc::new(Worker {
            cluster: self.clone(),
            name,
            versions: Versions::new(self.clone(), slots.clone(), ceiling, versions),
            at_once,
            free: Arc::new(Semaphore::new(at_once)),
            worked: Mutex::default(),
        });
        let (stop, stopped) = watch::channel(false);
        self.handle().spawn(take_jobs(Arc::clone(&worker), stopped));
        Ok(Replays { cluster: self.clone(), worker, stop })
    }
}

impl Replays {
    /// What was done so far.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, Settings};
    /// # let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
    /// # use adjudicate_sandbox::Host;
    /// # use adjudicate_host::{Slots, Store};
    /// # let store = Store::open("store".as_ref())?;
    /// # let host = Host::new(adjudicate_sandbox::Settings::default())?;
    /// # let slots = Slots::open(store, host)?;
    /// # let replays = cluster.serve_replays(&slots, adjudicate_cluster::ReplayHost::default())?;
    /// assert_eq!(replays.worked().garbage, 0);
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn worked(&self) -> Worked {
        self.worker.lock().0
    }

    /// Why no jobs can be taken now, or the last job was none.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, Settings};
    /// # let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
    /// # use adjudicate_sandbox::Host;
    /// # use adjudicate_host::{Slots, Store};
    /// # let store = Store::open("store".as_ref())?;
    /// # let host = Host::new(adjudicate_sandbox::Settings::default())?;
    /// # let slots = Slots::open(store, host)?;
    /// # let replays = cluster.serve_replays(&slots, adjudicate_cluster::ReplayHost::default())?;
    /// if let Some(error) = replays.trouble() {
    ///     eprintln!("{error}");
    /// }
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn trouble(&self) -> Option<Error> {
        self.worker.lock().1.clone()
    }

    /// Takes no more jobs. Those that are being decided go on.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, Settings};
    /// # let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
    /// # use adjudicate_sandbox::Host;
    /// # use adjudicate_host::{Slots, Store};
    /// # let store = Store::open("store".as_ref())?;
    /// # let host = Host::new(adjudicate_sandbox::Settings::default())?;
    /// # let slots = Slots::open(store, host)?;
    /// # let replays = cluster.serve_replays(&slots, adjudicate_cluster::ReplayHost::default())?;
    /// replays.leave();
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn leave(&self) {
        self.stop.send_replace(true);
    }

    /// Takes no more jobs, and waits so long for those that are being decided to end. Others get those that do not.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, Settings};
    /// # let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
    /// # use adjudicate_sandbox::Host;
    /// # use adjudicate_host::{Slots, Store};
    /// # let store = Store::open("store".as_ref())?;
    /// # let host = Host::new(adjudicate_sandbox::Settings::default())?;
    /// # let slots = Slots::open(store, host)?;
    /// # let replays = cluster.serve_replays(&slots, adjudicate_cluster::ReplayHost::default())?;
    /// replays.finish(std::time::Duration::from_secs(10));
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn finish(self, within: Duration) {
        self.leave();
        let worker = Arc::clone(&self.worker);
        let all = u32::try_from(worker.at_once).unwrap_or(u32::MAX);
        let ended = self.cluster.inner.wait(async move {
            let ended = timeout(within, worker.free.acquire_many(all)).await;
            ended.map(drop).map_err(|_| fault("jobs of replays did not end in time"))
        });
        // What did not end is given to others.
        drop(ended);
    }
}

impl Drop for Replays {
    fn drop(&mut self) {
        self.leave();
    }
}

impl Worker {
    pub(super) fn note(&self, change: impl FnOnce(&mut Worked)) {
        change(&mut self.lock().0);
    }

    pub(super) fn trouble(&self, error: Option<Error>) {
        self.lock().1 = error;
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, (Worked, Option<Error>)> {
        self.worked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Takes jobs until it is stopped.
async fn take_jobs(worker: Arc<Worker>, mut stopped: watch::Receiver<bool>) {
    let taking = async {
        loop {
            if let Err(error) = take_from_queue(&worker).await {
                worker.trouble(Some(error));
                sleep(PAUSE).await;
            }
        }
    };
    tokio::select! {
        () = taking => {}
        _ = stopped.wait_for(|stopped| *stopped) => {}
    }
}

/// Takes jobs for as long as the queue gives some.
async fn take_from_queue(worker: &Arc<Worker>) -> Result<(), Error> {
    let queue = queue(&worker.cluster).await?;
    worker.trouble(None);
    loop {
        let free = Arc::clone(&worker.free).acquire_owned().await;
        let free = free.map_err(|_| fault("this host takes no jobs any more"))?;
        let Some(message) = next(&queue).await? else { continue };
        tokio::spawn(decide(Arc::clone(worker), message, free));
    }
}

async fn decide(worker: Arc<Worker>, message: Message, free: OwnedSemaphorePermit) {
    taken::decide(&worker, &message).await;
    drop(free);
}

async fn queue(cluster: &Cluster) -> Result<PullConsumer, Error> {
    let name = Kept::Jobs.name(cluster.name());
    let unreachable = |why: &dyn std::fmt::Display| failed("the queue of replays cannot be reached", why);
    let stream = cluster.jetstream().get_stream_no_info(name).await.map_err(|error| unreachable(&error))?;
    let config = pull::Config {
        durable_name: Some(CONSUMER.to_owned()),
        description: Some("hosts that decide the cases of replays".to_owned()),
        ack_policy: AckPolicy::Explicit,
        ack_wait: ACK_WAIT,
        // The last time somebody says so; this is for those that end their host, and whose command is gone.
        max_deliver: MOST_TIMES + 1,
        ..pull::Config::default()
    };
    let queue = stream.get_or_create_consumer(CONSUMER, config).await.map_err(|error| unreachable(&error))?;
    let found = &queue.cached_info().config;
    let takes_all = found.filter_subject.is_empty() && found.filter_subjects.is_empty();
    if found.ack_policy != AckPolicy::Explicit || found.ack_wait < ACK_WAIT || !takes_all {
        return Err(fault(format!("the consumer `{CONSUMER}` of the queue of replays is not one of hosts")));
    }
    Ok(queue)
}

/// The next job, if there is one soon.
async fn next(queue: &PullConsumer) -> Result<Option<Message>, Error> {
    let lost = |why: &dyn std::fmt::Display| failed("jobs cannot be taken from the queue", why);
    let asked = Instant::now();
    let taking = async {
        let mut batch = queue.batch().max_messages(1).expires(EXPIRES).messages().await;
        match &mut batch {
            Err(error) => Err(lost(error)),
            Ok(batch) => batch.next().await.transpose().map_err(|error| lost(&error)),
        }
    };
    // A server that was away does not know any more what it was asked.
    let taken = timeout(EXPIRES * 2, taking).await.unwrap_or(Ok(None))?;
    if taken.is_none() && asked.elapsed() < EXPIRES / 10 {
        sleep(PAUSE).await;
    }
    Ok(taken)
}
