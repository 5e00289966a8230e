//! The versions that jobs name, loaded on a host: each once for a run, a few at a time.

use std::{sync::Arc, time::Duration};

use adjudicate_core::{Error, Policy, json};
use adjudicate_host::{
    Slots, codes,
    reevaluation::{Ceiling, Version},
};
use adjudicate_sandbox::{Digest, SingleFlight};

use super::{job::Named, loans};
use crate::Cluster;

/// How long a version is used before it is judged again: keys may be revoked meanwhile.
const OLDEST: Duration = Duration::from_secs(30);
/// How long a policy document may be.
const MOST_POLICY: usize = json::MAX_DOCUMENT_BYTES;

/// Versions that are loaded, by the run and what it calls them.
#[derive(Debug)]
pub(super) struct Versions {
    cluster: Cluster,
    slots: Slots,
    ceiling: Ceiling,
    loaded: SingleFlight<(String, Named), Arc<Version>>,
}

impl Versions {
    pub(super) fn new(cluster: Cluster, slots: Slots, ceiling: Ceiling, most: usize) -> Self {
        Self { cluster, slots, ceiling, loaded: SingleFlight::new(most.max(1), OLDEST) }
    }

    /// The version that is named so in a run. Whoever else wants it while it is loaded waits for that; who wants another one does
    /// not.
    ///
    /// # Errors
    ///
    /// Why this host does not decide by it.
    pub(super) fn version(&self, run: &str, named: &Named) -> Result<Arc<Version>, Error> {
        self.loaded.get((run.to_owned(), named.clone()), || self.load(run, named).map(Arc::new))
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
            codes::UNKNOWN_MODULE => Error::new(codes::CLUSTER_FAULT, error.message().to_owned()),
            _ => error,
        })
    }
}
