//! The versions of replay jobs, loaded on a host: each once for a run, a few at a time.

use std::{sync::Arc, time::Duration};

use adjudicate_core::{Error, Policy, json};
use adjudicate_host::{
    Slots, codes,
    reevaluation::{Ceiling, Version},
};
use adjudicate_sandbox::{Digest, SingleFlight};

use super::{job::VersionSpec, staging};
use crate::Cluster;

/// The time after which a version is judged again, because keys may be revoked meanwhile.
const OLDEST: Duration = Duration::from_secs(30);
/// The most bytes of a policy document.
const MOST_POLICY: usize = json::MAX_DOCUMENT_BYTES;

/// The loaded versions, by run and name.
#[derive(Debug)]
pub(super) struct Versions {
    cluster: Cluster,
    slots: Slots,
    ceiling: Ceiling,
    loaded: SingleFlight<(String, VersionSpec), Arc<Version>>,
}

impl Versions {
    pub(super) fn new(cluster: Cluster, slots: Slots, ceiling: Ceiling, most: usize) -> Self {
        Self { cluster, slots, ceiling, loaded: SingleFlight::new(most.max(1), OLDEST) }
    }

    /// Returns the version with this name in a run. Callers that need the version while it is loaded wait for it; callers of other
    /// versions do not.
    ///
    /// # Errors
    ///
    /// The reason for which this host does not decide by the version.
    pub(super) fn version(&self, run: &str, named: &VersionSpec) -> Result<Arc<Version>, Error> {
        self.loaded.get((run.to_owned(), named.clone()), || self.load(run, named).map(Arc::new))
    }

    fn load(&self, run: &str, named: &VersionSpec) -> Result<Version, Error> {
        let fetch = |digest: Digest, most: usize| staging::module(&self.cluster, run, digest, most);
        match named {
            VersionSpec::Engine => Ok(Version::Engine),
            VersionSpec::Policy { document } => {
                let text = staging::lent(&self.cluster, run, *document, MOST_POLICY)?;
                Ok(Version::Policy(Box::new(Policy::parse(&text)?)))
            }
            VersionSpec::Modules(modules) => modules.load(&self.slots, &self.ceiling, fetch),
        }
        .map_err(|error: Error| match error.code() {
            // A missing module is a fault of the cluster, not a wrong call.
            codes::UNKNOWN_MODULE => Error::new(codes::CLUSTER_FAULT, error.message().to_owned()),
            _ => error,
        })
    }
}
