//! Following the bucket of slots.
//!
//! ```text
//! watch (a task)    the whole bucket, oldest first, then what comes; the whole again after every new connection
//!   -> follower (a thread that may wait)  entries in their order -> Slots::follow; what is refused is asked for again
//! ```
//!
//! The task never waits for a module to be compiled, nor the thread for the network longer than it must.

mod follower;
mod found;
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

use follower::Follower;
use found::Found;

/// How many batches the thread may be behind before the watch waits for it.
const MOST_WAITING: usize = 16;

/// What the watch tells the thread.
#[derive(Debug)]
enum News {
    /// All that the bucket holds.
    Whole(Found),
    /// What came since.
    More(Found),
    /// The bucket cannot be read.
    Lost(Error),
}

/// What the watch, the thread, and whoever holds the [`Following`] share.
#[derive(Debug, Default)]
struct Shared {
    trouble: Mutex<Option<Error>>,
    /// Whether the whole bucket is to be read again.
    again: AtomicBool,
    stopped: AtomicBool,
}

impl Shared {
    fn note(&self, trouble: Option<Error>) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
    }
}

/// Slots that follow the cluster until this is dropped. What was begun is ended then, and nothing more.
///
/// ```no_run
/// # use adjudicate_cluster::{Cluster, Settings};
/// # let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
/// # use adjudicate_sandbox::Host;
/// # use adjudicate_host::{Slots, Store};
/// # let store = Store::open("store".as_ref())?;
/// # let host = Host::new(adjudicate_sandbox::Settings::default())?;
/// # let slots = Slots::open_shared(store, host, cluster.ledger(), false)?;
/// let following = cluster.follow(&slots)?;
/// // What happens in the cluster happens to these slots, too.
/// drop(following);
/// // And now no longer.
/// # Ok::<(), adjudicate_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Following {
    cluster: Cluster,
    shared: Arc<Shared>,
    watch: AbortHandle,
}

impl Following {
    /// Why slots cannot follow the cluster now, if they cannot: there is no connection, the bucket cannot be read, or it is another
    /// cluster's. What is wrong with one slot is for [`Slots::troubles`] to say.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, Settings};
    /// # let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
    /// # use adjudicate_sandbox::Host;
    /// # use adjudicate_host::{Slots, Store};
    /// # let store = Store::open("store".as_ref())?;
    /// # let host = Host::new(adjudicate_sandbox::Settings::default())?;
    /// # let slots = Slots::open_shared(store, host, cluster.ledger(), false)?;
    /// let following = cluster.follow(&slots)?;
    /// if let Some(error) = following.trouble() {
    ///     eprintln!("this host goes on with what it has: {error}");
    /// }
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    #[must_use]
    pub fn trouble(&self) -> Option<Error> {
        self.cluster.inner.require_connection().err().or_else(|| {
            let trouble = self.shared.trouble.lock().unwrap_or_else(PoisonError::into_inner);
            trouble.clone()
        })
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::Release);
        // The thread ends when nobody can tell it anything any more.
        self.watch.abort();
    }
}

impl Cluster {
    /// Brings slots, which were opened with this cluster's [ledger](Cluster::ledger), up to what the cluster says, and keeps them
    /// there. Waits until all that the cluster says now was looked at: modules that this host lacks are fetched and compiled.
    ///
    /// # Errors
    ///
    /// [`cluster_fault`](adjudicate_host::codes::CLUSTER_FAULT) if the bucket cannot be read, or is another cluster's by now. An entry that is refused
    /// here is no error: the slot keeps what it had and says so ([`Slots::troubles`]).
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, Settings};
    /// # let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
    /// use adjudicate_sandbox::Host;
    /// use adjudicate_host::{Slots, Store};
    /// let host = Host::new(adjudicate_sandbox::Settings::default())?;
    /// let slots = Slots::open_shared(Store::open("store".as_ref())?, host, cluster.ledger(), false)?;
    /// let _following = cluster.follow(&slots)?;
    /// for (slot, error) in slots.troubles() {
    ///     eprintln!("`{slot}` is not as the cluster has it: {error}");
    /// }
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn follow(&self, slots: &Slots) -> Result<Following, Error> {
        let (news, received) = tokio::sync::mpsc::channel(MOST_WAITING);
        let (first, is_there) = mpsc::sync_channel(1);
        let shared = Arc::new(Shared::default());
        let follower = Follower::new(self.clone(), slots.clone(), Arc::clone(&shared));
        let run = move || follower.run(received, &first);
        let thread = thread::Builder::new().name("adjudicate-follow".to_owned()).spawn(run);
        thread.map_err(|error| {
            let message = format!("the thread that follows the cluster cannot be started: {error}");
            Error::new(codes::HOST_FAULT, message)
        })?;
        let watch = watch::run(self.inner.watched(), Arc::clone(&shared), news);
        let watch = self.inner.handle().spawn(watch).abort_handle();
        let following = Following { cluster: self.clone(), shared, watch };
        is_there.recv().unwrap_or_else(|_| Err(fault("the cluster is no longer followed")))?;
        Ok(following)
    }
}
