//! Without the feature `nats`: a server is one of no cluster, so there is nothing here.

use tokio::{task::JoinHandle, time::Instant};

use crate::standing::Standing;

/// The place of a server in a cluster.
#[derive(Debug)]
pub(crate) enum Face {}

impl Face {
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

    pub(crate) fn standing(&self) -> Standing {
        match *self {}
    }

    pub(crate) async fn leave(&self, _: Instant) -> Option<JoinHandle<()>> {
        match *self {}
    }

    pub(crate) async fn finish(&self, _: Instant) -> u32 {
        match *self {}
    }
}
