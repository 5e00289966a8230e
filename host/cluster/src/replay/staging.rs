//! Staged objects: modules and policies that hosts may lack for a run, in an object store of their own.
//!
//! The command removes its objects when the run ends. If it was killed or NATS was unreachable, the servers remove them after a
//! day: the store has a maximum age, counted from when the server received the message. So no owner needs to be tracked. Installed
//! modules are in another store, which replays only read.

use adjudicate_host::codes;
use std::time::{Duration, Instant};

use adjudicate_core::Error;
use adjudicate_sandbox::Digest;
use async_nats::jetstream::object_store::{InfoErrorKind, ObjectStore};

use crate::{
    Cluster,
    fault::failed,
    layout::SHORTEST_LOAN,
    objects::{put, read},
};

/// The age at which an object that a run still needs is staged again, well before its removal.
const RENEWED: Duration = Duration::from_secs(SHORTEST_LOAN.as_secs() / 2);

/// The staged objects of a run with the time of staging; `None` if staging may have failed.
#[derive(Debug, Default)]
pub(super) struct StagedObjects(Vec<(Digest, Option<Instant>)>);

impl StagedObjects {
    /// Stages an object for the hosts of a run, unless it was staged recently.
    pub(super) fn lend(
        &mut self,
        cluster: &Cluster,
        run: &str,
        digest: Digest,
        bytes: &[u8],
    ) -> Result<(), Error> {
        let is_fresh = |at: &Option<Instant>| at.is_some_and(|at| at.elapsed() < RENEWED);
        if self.0.iter().any(|(lent, at)| *lent == digest && is_fresh(at)) {
            return Ok(());
        }
        cluster.inner.require_connection()?;
        let (store, piece) = (cluster.inner.loans.clone(), cluster.piece());
        let (name, bytes) = (name(run, digest), bytes.to_vec());
        let began = Instant::now();
        let lent = cluster.inner.wait(async move { put(&store, name, &bytes, piece).await });
        // Even after an error, the object may be in the store and must be removed.
        self.0.retain(|(lent, _)| *lent != digest);
        self.0.push((digest, lent.is_ok().then_some(began)));
        lent
    }

    /// True if an object must be staged again.
    pub(super) fn are_old(&self) -> bool {
        self.0.iter().any(|(_, at)| at.is_none_or(|at| at.elapsed() >= RENEWED))
    }

    /// Removes all staged objects. If that fails, the servers remove them by age.
    pub(super) async fn take_away(self, store: ObjectStore, run: String) {
        for (digest, _) in self.0 {
            // A failure cannot be reported here.
            let _ = store.delete(name(&run, digest)).await;
        }
    }
}

/// True if a module is installed in the cluster.
pub(super) fn is_installed(cluster: &Cluster, digest: Digest) -> Result<bool, Error> {
    cluster.inner.require_connection()?;
    let store = cluster.inner.modules.clone();
    cluster.inner.wait(async move {
        match store.info(digest.to_string()).await {
            Ok(found) => Ok(!found.deleted),
            Err(error) if error.kind() == InfoErrorKind::NotFound => Ok(false),
            Err(error) => Err(failed(&format!("the object `{digest}` cannot be inspected"), error)),
        }
    })
}

/// Reads and verifies a staged object of a run.
pub(super) fn lent(cluster: &Cluster, run: &str, digest: Digest, most: usize) -> Result<Vec<u8>, Error> {
    cluster.inner.require_connection()?;
    let (store, patience, name) = (cluster.inner.loans.clone(), cluster.inner.patience, name(run, digest));
    cluster.inner.wait(async move { read(&store, name, digest, most, patience).await })
}

/// Reads a module that is installed or staged.
pub(super) fn module(cluster: &Cluster, run: &str, digest: Digest, most: usize) -> Result<Vec<u8>, Error> {
    match cluster.object(digest, most) {
        Err(error) if error.code() == codes::UNKNOWN_MODULE => lent(cluster, run, digest, most),
        found => found,
    }
}

fn name(run: &str, digest: Digest) -> String {
    format!("{run}.{digest}")
}
