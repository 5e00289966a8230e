//! Follows the bucket of slots.
//!
//! ```text
//! watch (a task)    the whole bucket, oldest first, then what comes; the whole again after every new connection
//!   -> follower (a thread that may wait)  entries in their order -> Slots::follow; what is refused is asked for again
//! ```
//!
//! The task never waits for the compilation of a module. The thread may wait.

mod bucket_content;
mod follower;

use std::{
    panic::AssertUnwindSafe,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use adjudicate_core::Error;
use adjudicate_host::{Slots, codes};
use async_nats::jetstream::kv::Watch;
use futures_util::{FutureExt, StreamExt};
use tokio::{
    sync::mpsc::Sender,
    task::AbortHandle,
    time::{Instant, sleep, timeout},
};

use self::{bucket_content::BucketContent, follower::Follower};
use crate::{
    cluster::Cluster,
    connection::{Inner, connections, reconnected},
    fault::{failed, fault},
};

/// Interval at which the connection is checked for a change.
const LOOK: Duration = Duration::from_millis(250);
/// Pause after a failure.
const PAUSE: Duration = Duration::from_secs(1);
/// Interval at which the whole bucket is read again, because the watch does not report purged keys.
const WHOLE: Duration = Duration::from_secs(300);
/// The largest number of changes in one message.
const MOST: usize = 256;
/// The number of batches that the thread may be behind before the watch waits.
const MOST_WAITING: usize = 16;

/// A message from the watch to the thread.
#[derive(Debug)]
enum News {
    /// The whole content of the bucket.
    Whole(BucketContent),
    /// Changes since then.
    More(BucketContent),
    /// The bucket cannot be read.
    Lost(Error),
}

/// The state that the watch, the thread and the [`Following`] share.
#[derive(Debug, Default)]
struct FollowState {
    problem: Mutex<Option<Error>>,
    /// True if the whole bucket must be read again.
    again: AtomicBool,
    stopped: AtomicBool,
}

impl FollowState {
    fn note(&self, problem: Option<Error>) {
        *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = problem;
    }
}

/// Slots that follow the cluster until this value is dropped. A step that has begun then is finished.
///
/// ```no_run
/// # fn example(cluster: &adjudicate_cluster::Cluster, slots: adjudicate_host::Slots) -> Result<(), adjudicate_core::Error> {
/// let following = cluster.follow(&slots)?;
/// // Changes in the cluster are now applied to these slots.
/// drop(following);
/// // From here on they are not.
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Following {
    cluster: Cluster,
    shared: Arc<FollowState>,
    watch: AbortHandle,
}

impl Following {
    /// The reason why the slots cannot follow the cluster now: there is no connection, the bucket cannot be read, or it belongs to
    /// another cluster. For problems of single slots, see [`Slots::problems`].
    ///
    /// ```no_run
    /// # fn example(following: &adjudicate_cluster::Following) {
    /// if let Some(error) = following.problem() {
    ///     eprintln!("this host keeps its current state: {error}");
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn problem(&self) -> Option<Error> {
        self.cluster.inner.require_connection().err().or_else(|| {
            let problem = self.shared.problem.lock().unwrap_or_else(PoisonError::into_inner);
            problem.clone()
        })
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::Release);
        // The thread ends when its channel is closed.
        self.watch.abort();
    }
}

impl Cluster {
    /// Applies the state of the cluster to slots that were opened with this cluster's [ledger](Cluster::ledger), and follows it.
    /// Waits until the current state was applied once, including fetching and compiling missing modules.
    ///
    /// # Errors
    ///
    /// [`cluster_fault`](adjudicate_host::codes::CLUSTER_FAULT) if the bucket cannot be read or belongs to another cluster. A
    /// rejected entry is not an error: the slot keeps its state and has a problem ([`Slots::problems`]).
    ///
    /// ```no_run
    /// # fn example(cluster: &adjudicate_cluster::Cluster, slots: &adjudicate_host::Slots) -> Result<(), adjudicate_core::Error> {
    /// let _following = cluster.follow(slots)?;
    /// for (slot, error) in slots.problems() {
    ///     eprintln!("`{slot}` is not as the cluster has it: {error}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn follow(&self, slots: &Slots) -> Result<Following, Error> {
        let (news, received) = tokio::sync::mpsc::channel(MOST_WAITING);
        let (first, is_there) = mpsc::sync_channel(1);
        let shared = Arc::new(FollowState::default());
        let follower = Follower::new(self.clone(), slots.clone(), Arc::clone(&shared));
        let run = move || follower.run(received, &first);
        let thread = thread::Builder::new().name("adjudicate-follow".to_owned()).spawn(run);
        thread.map_err(|error| {
            let message = "the thread that follows the cluster cannot be started";
            Error::caused_by(codes::HOST_FAULT, message, error)
        })?;
        let watch = watch(Arc::clone(&self.inner), Arc::clone(&shared), news);
        let watch = self.inner.handle.spawn(watch).abort_handle();
        let following = Following { cluster: self.clone(), shared, watch };
        is_there.recv().unwrap_or_else(|_| Err(fault("the cluster is no longer followed")))?;
        Ok(following)
    }
}

/// Watches until the receiver is dropped.
async fn watch(watched: Arc<Inner>, shared: Arc<FollowState>, news: Sender<News>) {
    loop {
        // The library panics at some values that other clients may store. The watch must survive that.
        let round = AssertUnwindSafe(round(&watched, &shared, &news)).catch_unwind().await;
        match round.unwrap_or_else(|_| Err(fault("the watch of the bucket received an unreadable value"))) {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => {
                if news.send(News::Lost(error)).await.is_err() {
                    return;
                }
                sleep(PAUSE).await;
            }
        }
    }
}

/// Sends the whole bucket and then its changes, until the whole bucket must be read again. Returns false if the receiver is
/// dropped.
async fn round(watched: &Inner, shared: &FollowState, news: &Sender<News>) -> Result<bool, Error> {
    // Read first, so that a connection made meanwhile counts as new.
    let before = connections(&watched.client);
    let read = tokio::select! {
        read = whole(watched) => read,
        // Requests through the earlier connection get no answer.
        () = reconnected(&watched.client, before) => return Ok(true),
    };
    let (watch, found) = read?;
    if news.send(News::Whole(found)).await.is_err() {
        return Ok(false);
    }
    more(watch, watched, before, shared, news).await?;
    Ok(true)
}

/// Reads the whole bucket, oldest values first. Also returns the watch that continues from there.
async fn whole(watched: &Inner) -> Result<(Watch, BucketContent), Error> {
    const WHAT: &str = "the bucket of slots cannot be read";
    let info = watched.slots.stream.get_info().await.map_err(|error| failed(WHAT, error))?;
    let mut watch = watched.slots.watch_all_from_revision(1).await.map_err(|error| failed(WHAT, error))?;
    let mut found = BucketContent::default();
    let mut is_all = info.state.messages == 0;
    while !is_all {
        let next = timeout(watched.patience, watch.next()).await;
        let next = next.map_err(|_| fault(format!("{WHAT}: the server stopped sending")))?;
        let next = next.ok_or_else(|| fault(format!("{WHAT}: the watch ended")))?;
        let entry = next.map_err(|error| failed(WHAT, error))?;
        is_all = entry.seen_current;
        found.take(&entry.key, entry.revision, entry.operation, &entry.value);
    }
    Ok((watch, found))
}

/// Sends changes until the whole bucket must be read again.
async fn more(
    mut watch: Watch,
    watched: &Inner,
    before: u64,
    shared: &FollowState,
    news: &Sender<News>,
) -> Result<(), Error> {
    let since = Instant::now();
    loop {
        let is_due = since.elapsed() >= WHOLE || shared.again.swap(false, Ordering::AcqRel);
        if is_due || connections(&watched.client) != before {
            return Ok(());
        }
        let Ok(next) = timeout(LOOK, watch.next()).await else { continue };
        let mut next = Some(next);
        let (mut found, mut count) = (BucketContent::default(), 0);
        while let Some(entry) = next {
            let entry = entry.ok_or_else(|| fault("the watch of the bucket ended"))?;
            let entry = entry.map_err(|error| failed("the bucket of slots cannot be watched", error))?;
            found.take(&entry.key, entry.revision, entry.operation, &entry.value);
            count += 1;
            next = if count < MOST { watch.next().now_or_never() } else { None };
        }
        if news.send(News::More(found)).await.is_err() {
            return Ok(());
        }
    }
}
