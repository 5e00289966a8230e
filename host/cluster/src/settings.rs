//! Which cluster, and how it is reached.

use std::{path::PathBuf, time::Duration};

/// Which cluster, and how it is reached.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The servers: `nats://host:4222` or `tls://host:4222`, several with commas between them.
    pub url: String,
    /// A file of credentials, as `nsc` writes them.
    pub credentials: Option<PathBuf>,
    /// Certificates of the authorities that the servers' are signed by (PEM), in the place of those of the system.
    pub authorities: Option<PathBuf>,
    /// What the cluster is called: subjects, buckets and streams begin with it.
    pub name: String,
    /// How many servers keep what is kept, where this host is the first and makes the buckets and streams.
    pub replicas: usize,
    /// How long the servers may take to answer.
    pub patience: Duration,
}

impl Settings {
    /// The cluster `adjudicate` at these servers.
    #[must_use]
    pub fn at(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            credentials: None,
            authorities: None,
            name: "adjudicate".to_owned(),
            replicas: 1,
            patience: Duration::from_secs(10),
        }
    }
}
