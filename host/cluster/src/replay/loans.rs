//! What hosts need to decide a run's cases and may not have: lent to them through an object store of its own, in the run's name.
//!
//! Whoever began the run takes it away with the end of it. What is left where that could not be done, because the command was killed or
//! NATS was away, the servers forget after a day: the store has a maximal age, and goes by the time at which they were given a message. So
//! nobody has to find out whose an object was, and modules that are installed are in another store, which replays only read.

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

/// After how long something is lent anew that a run still needs: well before it is forgotten.
const RENEWED: Duration = Duration::from_secs(SHORTEST_LOAN.as_secs() / 2);

/// What was lent to the hosts of a run, and when; `None` where that is not known to have been done.
#[derive(Debug, Default)]
pub(super) struct Loans(Vec<(Digest, Option<Instant>)>);

impl Loans {
    /// Lends something to the hosts that decide for a run, unless it was just lent.
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
        // It is taken away even if it could not be lent: it may be there all the same.
        self.0.retain(|(lent, _)| *lent != digest);
        self.0.push((digest, lent.is_ok().then_some(began)));
        lent
    }

    /// Whether anything was lent so long ago that it has to be lent anew.
    pub(super) fn are_old(&self) -> bool {
        self.0.iter().any(|(_, at)| at.is_none_or(|at| at.elapsed() >= RENEWED))
    }

    /// Takes away all that was lent. Where that cannot be done the servers forget it.
    pub(super) async fn take_away(self, store: ObjectStore, run: String) {
        for (digest, _) in self.0 {
            // There is nobody left to tell.
            let _ = store.delete(name(&run, digest)).await;
        }
    }
}

/// Whether a module is among those that are installed.
pub(super) fn is_installed(cluster: &Cluster, digest: Digest) -> Result<bool, Error> {
    cluster.inner.require_connection()?;
    let store = cluster.inner.modules.clone();
    cluster.inner.wait(async move {
        match store.info(digest.to_string()).await {
            Ok(found) => Ok(!found.deleted),
            Err(error) if error.kind() == InfoErrorKind::NotFound => Ok(false),
            Err(error) => Err(failed(&format!("the object `{digest}` cannot be looked for"), error)),
        }
    })
}

/// What was lent to the hosts that decide for a run; verified.
pub(super) fn lent(cluster: &Cluster, run: &str, digest: Digest, most: usize) -> Result<Vec<u8>, Error> {
    cluster.inner.require_connection()?;
    let (store, patience, name) = (cluster.inner.loans.clone(), cluster.inner.patience, name(run, digest));
    cluster.inner.wait(async move { read(&store, name, digest, most, patience).await })
}

/// A module that is installed, or was lent.
pub(super) fn module(cluster: &Cluster, run: &str, digest: Digest, most: usize) -> Result<Vec<u8>, Error> {
    match cluster.object(digest, most) {
        Err(error) if error.code() == codes::UNKNOWN_MODULE => lent(cluster, run, digest, most),
        found => found,
    }
}

fn name(run: &str, digest: Digest) -> String {
    format!("{run}.{digest}")
}
