//! The state of a host in its cluster.

/// The state of a host in its cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterState {
    /// The differences between this host and the cluster, each a sentence.
    pub problems: Vec<String>,
    /// The number of decision records that the cluster has not confirmed yet.
    pub records_waiting: u64,
}
