//! The NATS interface without the feature `nats`: a type without values.

use tokio::time::Instant;

use crate::cluster_state::ClusterState;

/// The membership of a server in a cluster. Without the feature there is none.
#[derive(Debug)]
pub(crate) enum NatsTransport {}

impl NatsTransport {
    pub(crate) fn name(&self) -> &str {
        match *self {}
    }

    pub(crate) fn host(&self) -> &str {
        match *self {}
    }

    pub(crate) fn is_connected(&self) -> bool {
        match *self {}
    }

    pub(crate) fn connects(&self) -> u64 {
        match *self {}
    }

    pub(crate) fn cluster_state(&self) -> ClusterState {
        match *self {}
    }

    pub(crate) async fn finish(&self, _: Instant) -> u32 {
        match *self {}
    }
}
