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
mod watch;

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
};

use adjudicate_core::Error;
use adjudicate_host::{Slots, codes};
use tokio::task::AbortHandle;

use crate::{cluster::Cluster, fault::fault};

use bucket_content::BucketContent;
use follower::Follower;

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
/// # use adjudicate_cluster::{Cluster, ClusterSettings};
/// # let cluster = Cluster::connect(&ClusterSettings::at("nats://127.0.0.1:4222"))?;
/// # use adjudicate_sandbox::Host;
/// # use adjudicate_host::{Slots, Store};
/// # let store = Store::open("store".as_ref())?;
/// # let host = Host::new(adjudicate_sandbox::HostSettings::default())?;
/// # let slots = Slots::open_shared(store, host, cluster.ledger(), false)?;
/// let following = cluster.follow(&slots)?;
/// // Changes in the cluster are now applied to these slots.
/// drop(following);
/// // From here on they are not.
/// # Ok::<(), adjudicate_core::Error>(())
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
    /// # use adjudicate_cluster::{Cluster, ClusterSettings};
    /// # let cluster = Cluster::connect(&ClusterSettings::at("nats://127.0.0.1:4222"))?;
    /// # use adjudicate_sandbox::Host;
    /// # use adjudicate_host::{Slots, Store};
    /// # let store = Store::open("store".as_ref())?;
    /// # let host = Host::new(adjudicate_sandbox::HostSettings::default())?;
    /// # let slots = Slots::open_shared(store, host, cluster.ledger(), false)?;
    /// let following = cluster.follow(&slots)?;
    /// if let Some(error) = following.problem() {
    ///     eprintln!("this host keeps its current state: {error}");
    /// }
    /// # Ok::<(), adjudicate_core::Error>(())
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
    /// # use adjudicate_cluster::{Cluster, ClusterSettings};
    /// # let cluster = Cluster::connect(&ClusterSettings::at("nats://127.0.0.1:4222"))?;
    /// use adjudicate_sandbox::Host;
    /// use adjudicate_host::{Slots, Store};
    /// let host = Host::new(adjudicate_sandbox::HostSettings::default())?;
    /// let slots = Slots::open_shared(Store::open("store".as_ref())?, host, cluster.ledger(), false)?;
    /// let _following = cluster.follow(&slots)?;
    /// for (slot, error) in slots.problems() {
    ///     eprintln!("`{slot}` is not as the cluster has it: {error}");
    /// }
    /// # Ok::<(), adjudicate_core::Error>(())
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
        let watch = watch::run(self.inner.watched(), Arc::clone(&shared), news);
        let watch = self.inner.handle().spawn(watch).abort_handle();
        let following = Following { cluster: self.clone(), shared, watch };
        is_there.recv().unwrap_or_else(|_| Err(fault("the cluster is no longer followed")))?;
        Ok(following)
    }
}
