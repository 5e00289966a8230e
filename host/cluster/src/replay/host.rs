//! A host's side of replays: takes jobs from the queue, a few at a time.

use std::{
    sync::{Arc, Mutex},
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

use super::{
    job_execution,
    versions::Versions,
    worker::{ACK_WAIT, MOST_TIMES, Worked, Worker},
};
use crate::{
    cluster::Cluster,
    fault::{failed, fault},
    layout::Storage,
};

/// The consumer that the hosts of a cluster share.
const CONSUMER: &str = "hosts";
/// The time for which the server keeps a request for a job.
const EXPIRES: Duration = Duration::from_secs(5);
/// Pause after a failed request.
const PAUSE: Duration = Duration::from_secs(1);

/// The settings of a host for replays.
///
/// ```
/// use adjudicate_cluster::ReplayHost;
/// let host = ReplayHost { at_once: 2, ..ReplayHost::default() };
/// assert!(!host.ceiling.unsigned);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayHost {
    /// The name of the host in reports: up to 64 letters, digits, `-`, `_` and `.`.
    pub name: String,
    /// The number of concurrent jobs, each on a thread of its own. Default: one for every two processors.
    pub at_once: usize,
    /// The highest limits of modules, and whether modules need signatures.
    pub ceiling: Ceiling,
    /// The number of versions that stay loaded. Default 8.
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

/// A host's participation in replays, until it is dropped.
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
/// // Until here, the host takes jobs.
/// replays.finish(std::time::Duration::from_secs(10));
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Replays {
    cluster: Cluster,
    worker: Arc<Worker>,
    stop: watch::Sender<bool>,
}

impl Cluster {
    /// Participates in replays in the background: takes jobs from the queue one by one and sends the outcomes to their command.
    /// Modules come from the object store and are judged by the trust policy of these slots' store. Nothing becomes active. If
    /// the queue cannot be reached, attempts continue, and [`Replays::problem`] has the error.
    ///
    /// # Errors
    ///
    /// [`wrong_usage`](adjudicate_host::codes::WRONG_USAGE) for an invalid name of the host, or an invalid number of concurrent
    /// jobs.
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
            return Err(Error::new(codes::WRONG_USAGE, "`at_once` must be 1 to 1024"));
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
    /// The statistics so far.
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

    /// The error if no jobs can be taken now, or if the last job was invalid.
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
    /// if let Some(error) = replays.problem() {
    ///     eprintln!("{error}");
    /// }
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn problem(&self) -> Option<Error> {
        self.worker.lock().1.clone()
    }

    /// Stops taking jobs. Running jobs continue.
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

    /// Stops taking jobs and waits at most this time for running ones. Unfinished jobs go to other hosts.
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
        // Unfinished jobs go to other hosts.
        drop(ended);
    }
}

impl Drop for Replays {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Takes jobs until it is stopped.
async fn take_jobs(worker: Arc<Worker>, mut stopped: watch::Receiver<bool>) {
    let taking = async {
        loop {
            if let Err(error) = take_from_queue(&worker).await {
                worker.problem(Some(error));
                sleep(PAUSE).await;
            }
        }
    };
    tokio::select! {
        () = taking => {}
        _ = stopped.wait_for(|stopped| *stopped) => {}
    }
}

/// Takes jobs until the queue fails.
async fn take_from_queue(worker: &Arc<Worker>) -> Result<(), Error> {
    let queue = queue(&worker.cluster).await?;
    worker.problem(None);
    loop {
        let free = Arc::clone(&worker.free).acquire_owned().await;
        let free = free.map_err(|_| fault("this host no longer takes jobs"))?;
        let Some(message) = next(&queue).await? else { continue };
        tokio::spawn(decide(Arc::clone(worker), message, free));
    }
}

async fn decide(worker: Arc<Worker>, message: Message, free: OwnedSemaphorePermit) {
    job_execution::decide(&worker, &message).await;
    drop(free);
}

async fn queue(cluster: &Cluster) -> Result<PullConsumer, Error> {
    let name = Storage::Jobs.name(cluster.name());
    const WHAT: &str = "the queue of replays cannot be reached";
    let stream = cluster.jetstream().get_stream_no_info(name).await.map_err(|error| failed(WHAT, error))?;
    let config = pull::Config {
        durable_name: Some(CONSUMER.to_owned()),
        description: Some("hosts that decide the cases of replays".to_owned()),
        ack_policy: AckPolicy::Explicit,
        ack_wait: ACK_WAIT,
        // At the last delivery, the host declines. The limit is for jobs that end their host and have no command any more.
        max_deliver: MOST_TIMES + 1,
        ..pull::Config::default()
    };
    let queue = stream.get_or_create_consumer(CONSUMER, config).await.map_err(|error| failed(WHAT, error))?;
    let found = &queue.cached_info().config;
    let takes_all = found.filter_subject.is_empty() && found.filter_subjects.is_empty();
    if found.ack_policy != AckPolicy::Explicit || found.ack_wait < ACK_WAIT || !takes_all {
        return Err(fault(format!("the consumer `{CONSUMER}` of the queue of replays is not that of hosts")));
    }
    Ok(queue)
}

/// The next job, if one arrives soon.
async fn next(queue: &PullConsumer) -> Result<Option<Message>, Error> {
    const WHAT: &str = "jobs cannot be taken from the queue";
    let asked = Instant::now();
    let taking = async {
        let batch = queue.batch().max_messages(1).expires(EXPIRES).messages().await;
        match batch {
            Err(error) => Err(failed(WHAT, error)),
            Ok(mut batch) => batch.next().await.transpose().map_err(|error| failed(WHAT, error)),
        }
    };
    // A restarted server has forgotten the request.
    let taken = timeout(EXPIRES * 2, taking).await.unwrap_or(Ok(None))?;
    if taken.is_none() && asked.elapsed() < EXPIRES / 10 {
        sleep(PAUSE).await;
    }
    Ok(taken)
}
