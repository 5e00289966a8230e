//! How a host stands with the others of its cluster.

/// How a host stands with the others of its cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// What of this host is not as the cluster has it.
    pub troubles: Vec<String>,
    /// How many decision records the cluster is not known to have yet.
    pub records_waiting: u64,
}
