//! The state of a host that decides jobs.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use adjudicate_core::Error;
use tokio::sync::Semaphore;

use super::versions::Versions;
use crate::cluster::Cluster;

/// The time without a message of its host after which a job is given to another host.
pub(super) const ACK_WAIT: Duration = Duration::from_secs(10);
/// The number of times that a job is delivered.
pub(super) const MOST_TIMES: i64 = 10;

/// Statistics of a host's participation in replays.
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
    /// Jobs that were decided and confirmed.
    pub jobs: u64,
    /// Cases of these jobs.
    pub cases: u64,
    /// Jobs that were left to other hosts.
    pub declined: u64,
    /// Messages in the queue that were not jobs.
    pub garbage: u64,
}

/// The state for deciding jobs.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) cluster: Cluster,
    pub(super) name: String,
    pub(super) versions: Versions,
    pub(super) at_once: usize,
    pub(super) free: Arc<Semaphore>,
    pub(super) worked: Mutex<(Worked, Option<Error>)>,
}

impl Worker {
    pub(super) fn note(&self, change: impl FnOnce(&mut Worked)) {
        change(&mut self.lock().0);
    }

    pub(super) fn problem(&self, error: Option<Error>) {
        self.lock().1 = error;
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, (Worked, Option<Error>)> {
        self.worked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
