//! The command's side of a replay: publishes jobs, receives their outcomes, and removes the rest.

use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use adjudicate_core::Error;
use adjudicate_host::{
    codes,
    reevaluation::{Outcome, RemoteCase, RemoteDecider},
};
use async_nats::{Subscriber, jetstream::message::PublishMessage};
use futures_util::StreamExt;
use tokio::task::AbortHandle;

use super::{
    HEADERS,
    batching::{EncodedJob, cut},
    jobs,
    naming::{Names, Sources},
    note::{CONFIRMED, Note, OVER},
    notes,
    run::{NoteAnswer, Replayed, Run},
};
use crate::{
    cluster::Cluster,
    fault::{failed, fault},
    layout::Storage,
};

/// The number of jobs published at once.
const AT_ONCE: usize = 16;
/// Pause before a failed publication is repeated.
const PAUSE: Duration = Duration::from_millis(250);

/// A replay whose cases are decided by the hosts of a cluster that [serve replays](Cluster::serve_replays). When it is dropped, its
/// remaining jobs are removed.
///
/// ```no_run
/// use std::{io::BufRead, time::Duration};
/// use adjudicate_cluster::{Cluster, Settings, Sources};
/// use adjudicate_core::{Error, Operation};
/// use adjudicate_sandbox::Digest;
/// use adjudicate_host::{codes, reevaluation::{Reevaluation, Step, Version, read_line}};
///
/// /// Only the engine decides, so there are no sources.
/// #[derive(Debug)]
/// struct Nothing;
/// impl Sources for Nothing {
///     fn module(&self, digest: Digest) -> Result<Vec<u8>, Error> {
///         Err(Error::new(codes::UNKNOWN_MODULE, format!("there is no `{digest}`")))
///     }
///     fn policy(&self, digest: &str) -> Result<Vec<u8>, Error> {
///         Err(Error::new(codes::UNKNOWN_MODULE, format!("there is no `{digest}`")))
///     }
/// }
///
/// let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
/// let replay = cluster.replay(Nothing, Duration::from_secs(60))?;
/// let again = Reevaluation { before: None, unrecorded: Version::Engine, after: Version::Engine, threads: 2, samples: 5,
///     expectations: Vec::new(), least: 1 };
/// let lines = (1..).zip(std::io::stdin().lock().split(b'\n')).filter_map(|(number, line)| Some((number, line.ok()?)));
/// let steps = lines.map(|(number, line)| Ok(match read_line(number, &line, Operation::Evaluate) {
///     Ok(line) => Step::Line(line),
///     Err(error) => Step::Bad(number, error),
/// }));
/// let report = again.run_remotely(steps, &replay, |_| {})?;
/// println!("{} compared by {} hosts", report.compared(), replay.finish().hosts.len());
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct Replay {
    inner: Arc<ReplayState>,
    receiving: AbortHandle,
}

struct ReplayState {
    cluster: Cluster,
    name: String,
    sources: Box<dyn Sources>,
    names: Names,
    patience: Duration,
    run: Run,
    next: AtomicU64,
    publishing: Mutex<Option<AbortHandle>>,
}

impl fmt::Debug for ReplayState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replay").field("run", &self.name).finish_non_exhaustive()
    }
}

impl Cluster {
    /// Starts a replay. Other hosts get the modules and policies from `sources`, through an object store, until the replay ends;
    /// installed modules are already in the cluster. If no host responds for `patience`, the replay fails.
    ///
    /// # Errors
    ///
    /// [`cluster_fault`](adjudicate_host::codes::CLUSTER_FAULT) if this user has no permission to receive the outcomes of jobs.
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use adjudicate_cluster::{Cluster, Replay, Sources};
    /// fn begin(cluster: &Cluster, sources: impl Sources + 'static) -> Result<Replay, adjudicate_core::Error> {
    ///     cluster.replay(sources, Duration::from_secs(60))
    /// }
    /// ```
    pub fn replay(&self, sources: impl Sources + 'static, patience: Duration) -> Result<Replay, Error> {
        let mut random = [0; 16];
        getrandom::fill(&mut random)
            .map_err(|error| Error::caused_by(codes::HOST_FAULT, "no random numbers", error))?;
        let name: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        self.inner.require_connection()?;
        let (client, subject) = (self.client(), notes(self.name(), &name));
        let subscriber = self.inner.wait(async move {
            let subscriber = client.subscribe(subject).await;
            let subscriber =
                subscriber.map_err(|error| failed("the results of jobs cannot be received", error))?;
            // The subscription must exist before a host takes the first job.
            client.flush().await.map_err(|error| failed("the results of jobs cannot be received", error))?;
            Ok(subscriber)
        })?;
        let inner = Arc::new(ReplayState {
            cluster: self.clone(),
            name,
            sources: Box::new(sources),
            names: Names::default(),
            patience,
            run: Run::new(),
            next: AtomicU64::new(0),
            publishing: Mutex::default(),
        });
        let receiving = self.handle().spawn(receive(Arc::clone(&inner), subscriber)).abort_handle();
        Ok(Replay { inner, receiving })
    }
}

impl Replay {
    /// The name of the run: 32 hexadecimal digits.
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use adjudicate_cluster::{Cluster, Replay, Sources};
    /// # fn example(cluster: &Cluster, sources: impl Sources + 'static) -> Result<(), adjudicate_core::Error> {
    /// let replay = cluster.replay(sources, Duration::from_secs(60))?;
    /// assert_eq!(replay.name().len(), 32);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Returns a function that ends the replay from another thread, for example after an interrupt.
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use adjudicate_cluster::{Cluster, Replay, Sources};
    /// # fn example(cluster: &Cluster, sources: impl Sources + 'static) -> Result<(), adjudicate_core::Error> {
    /// let replay = cluster.replay(sources, Duration::from_secs(60))?;
    /// let stop = replay.stopper();
    /// std::thread::spawn(move || {
    ///     std::thread::sleep(Duration::from_secs(600));
    ///     stop();
    /// });
    /// # Ok(())
    /// # }
    /// ```
    pub fn stopper(&self) -> impl Fn() + Send + Sync + 'static {
        let inner = Arc::clone(&self.inner);
        move || {
            inner.run.fail(fault("the replay was interrupted"));
            inner.take_back();
        }
    }

    /// The statistics so far.
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use adjudicate_cluster::{Cluster, Replay, Sources};
    /// # fn example(cluster: &Cluster, sources: impl Sources + 'static) -> Result<(), adjudicate_core::Error> {
    /// let replay = cluster.replay(sources, Duration::from_secs(60))?;
    /// println!("{} cases were decided by hosts so far", replay.replayed().elsewhere);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn replayed(&self) -> Replayed {
        self.inner.run.replayed()
    }

    /// Ends the replay and returns the statistics.
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use adjudicate_cluster::{Cluster, Replay, Sources};
    /// # fn example(cluster: &Cluster, sources: impl Sources + 'static) -> Result<(), adjudicate_core::Error> {
    /// let replay = cluster.replay(sources, Duration::from_secs(60))?;
    /// for (host, cases) in replay.finish().hosts {
    ///     println!("{host} decided {cases} cases");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn finish(self) -> Replayed {
        self.replayed()
    }
}

impl Drop for Replay {
    fn drop(&mut self) {
        self.inner.take_back();
        self.receiving.abort();
    }
}

impl RemoteDecider for Replay {
    fn decide(&self, asked: &[RemoteCase<'_>], take: &mut dyn FnMut(usize, Outcome)) -> Result<(), Error> {
        let ReplayState { cluster, name, sources, names, run, next, patience, publishing: _ } = &*self.inner;
        let most = cluster.max_payload().saturating_sub(HEADERS);
        let first = next.load(Ordering::Relaxed);
        let cuts = cut(name, first, asked, most, |by| names.name(by, cluster, name, &**sources))?;
        next.fetch_add(cuts.len() as u64, Ordering::Relaxed);
        let given: usize = cuts.iter().map(|cut| cut.places.len()).sum();
        let jobs = cuts.iter().map(|cut| (cut.digest, cut.cases(asked), cut.places.clone()));
        run.open(jobs, asked.len() - given);
        let publishing = cluster.handle().spawn(publish_all(Arc::clone(&self.inner), cuts));
        self.inner.publishes(Some(publishing.abort_handle()));
        let waited = run.wait(*patience, || cluster.is_connected(), take);
        self.inner.publishes(None);
        waited
    }
}

impl ReplayState {
    /// Replaces the task that publishes jobs and stops the previous one.
    fn publishes(&self, publishing: Option<AbortHandle>) {
        let before = std::mem::replace(
            &mut *self.publishing.lock().unwrap_or_else(PoisonError::into_inner),
            publishing,
        );
        if let Some(before) = before {
            before.abort();
        }
    }

    /// Removes the remaining jobs and the staged objects. If that fails, the servers remove them by age.
    fn take_back(&self) {
        self.publishes(None);
        let stream = Storage::Jobs.name(self.cluster.name());
        let (jetstream, subject) = (self.cluster.jetstream(), jobs(self.cluster.name(), &self.name));
        if self.cluster.inner.require_connection().is_err() {
            return;
        }
        let (loans, store, run) = (self.names.loans(), self.cluster.inner.loans.clone(), self.name.clone());
        let purged = self.cluster.inner.wait(async move {
            let purged = async {
                let stream = jetstream.get_stream_no_info(stream).await;
                let stream = stream.map_err(|error| failed("jobs cannot be taken back", error))?;
                let purged = stream.purge().filter(subject).await;
                purged.map(drop).map_err(|error| failed("jobs cannot be taken back", error))
            };
            let purged = purged.await;
            loans.take_away(store, run).await;
            purged
        });
        // A failure cannot be reported here, and removed jobs decide nothing.
        drop(purged);
    }
}

/// Publishes jobs. If a job cannot be published within the patience of the run, the run fails.
async fn publish_all(inner: Arc<ReplayState>, cuts: Vec<EncodedJob>) {
    let publish = |cut: EncodedJob| publish(Arc::clone(&inner), cut);
    let mut publishing = futures_util::stream::iter(cuts.into_iter().map(publish)).buffer_unordered(AT_ONCE);
    while let Some(published) = publishing.next().await {
        if let Err(error) = published {
            inner.run.fail(error);
            return;
        }
    }
}

async fn publish(inner: Arc<ReplayState>, EncodedJob { number, text, .. }: EncodedJob) -> Result<(), Error> {
    let (jetstream, subject) = (inner.cluster.jetstream(), jobs(inner.cluster.name(), &inner.name));
    let id = format!("{}:{number}", inner.name);
    let began = Instant::now();
    loop {
        // The message id prevents a second copy.
        let message = PublishMessage::build().payload(text.clone().into()).message_id(&id);
        let published = async { jetstream.send_publish(subject.clone(), message).await?.await };
        match published.await {
            Ok(_) => return Ok(()),
            Err(error) if began.elapsed() >= inner.patience => {
                return Err(failed("a job cannot be published", error));
            }
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
}

/// Receives notes of hosts and answers them.
async fn receive(inner: Arc<ReplayState>, mut subscriber: Subscriber) {
    let client = inner.cluster.client();
    let mut connections = inner.cluster.inner.connections();
    while let Some(message) = subscriber.next().await {
        let now = inner.cluster.inner.connections();
        if std::mem::replace(&mut connections, now) != now {
            inner.run.notes_may_be_lost();
        }
        let answer = match Note::read(&message.payload) {
            Ok(note) => inner.run.receive(note),
            Err(_) => {
                inner.run.count_invalid();
                continue;
            }
        };
        let text = match answer {
            NoteAnswer::Confirmed => CONFIRMED,
            NoteAnswer::Over => OVER,
        };
        if let Some(reply) = message.reply {
            // A host without an answer asks again.
            let _ = client.publish(reply, text.into()).await;
        }
    }
}
