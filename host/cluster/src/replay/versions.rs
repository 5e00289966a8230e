//! The versions that jobs name, loaded on a host: each once for a run, a few at a time.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use adjudicate_core::{Error, ErrorCode, Policy, json};
use adjudicate_host::{
    Digest, Slots,
    reevaluation::{Ceiling, Version},
};

use super::{job::Named, loans};
use crate::Cluster;

/// How long a version is used before it is judged again: keys may be revoked meanwhile.
const OLDEST: Duration = Duration::from_secs(30);
/// How long a policy document may be.
const MOST_POLICY: usize = json::MAX_DOCUMENT_BYTES;

/// Versions that are loaded, the one that was used last at the end.
#[derive(Debug)]
pub(super) struct Versions {
    cluster: Cluster,
    slots: Slots,
    ceiling: Ceiling,
    most: usize,
    loaded: Mutex<Vec<Loaded>>,
}

#[derive(Debug)]
struct Loaded {
    run: String,
    named: Named,
    version: Arc<Version>,
    at: Instant,
}

impl Versions {
    pub(super) fn new(cluster: Cluster, slots: Slots, ceiling: Ceiling, most: usize) -> Self {
        Self { cluster, slots, ceiling, most: most.max(1), loaded: Mutex::default() }
    }

    /// The version that is named so in a run. Whoever else wants one waits meanwhile: it is loaded once.
    ///
    /// # Errors
    ///
    /// Why this host does not decide by it.
    pub(super) fn version(&self, run: &str, named: &Named) -> Result<Arc<Version>, Error> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let at = loaded.iter().position(|it| it.run == run && it.named == *named);
        // What is judged again shares with what was loaded before, so that is kept until then.
        let old = at.map(|at| loaded.remove(at));
        if let Some(fresh) = old.as_ref().filter(|old| old.at.elapsed() < OLDEST) {
            let version = Arc::clone(&fresh.version);
            loaded.extend(old);
            return Ok(version);
        }
        let version = Arc::new(self.load(run, named)?);
        if loaded.len() >= self.most {
            loaded.remove(0);
        }
        let (run, named) = (run.to_owned(), named.clone());
        loaded.push(Loaded { run, named, version: Arc::clone(&version), at: Instant::now() });
        Ok(version)
    }

    fn load(&self, run: &str, named: &Named) -> Result<Version, Error> {
        let fetch = |digest: Digest, most: usize| loans::module(&self.cluster, run, digest, most);
        match named {
            Named::Engine => Ok(Version::Engine),
            Named::Policy { document } => {
                let text = loans::lent(&self.cluster, run, *document, MOST_POLICY)?;
                Ok(Version::Policy(Box::new(Policy::parse(&text)?)))
            }
            Named::Modules(modules) => modules.load(&self.slots, &self.ceiling, fetch),
        }
        .map_err(|error: Error| match error.code() {
            // A module that is not there is a matter of the cluster and not of how somebody called it.
            ErrorCode::UnknownModule => Error::new(ErrorCode::ClusterFault, error.message().to_owned()),
            _ => error,
        })
    }
}
