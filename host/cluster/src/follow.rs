//! Following the bucket.

use std::collections::BTreeMap;

use adjudicate_core::Error;
use adjudicate_host::Slots;

use crate::{cluster::Cluster, fault::fault};

/// Slots that follow the cluster, until it is dropped.
#[derive(Debug)]
pub struct Following {
    _private: (),
}

impl Following {
    /// What is wrong now, by slot; under the empty name, what concerns all of them.
    #[must_use]
    pub fn troubles(&self) -> BTreeMap<String, Error> {
        BTreeMap::new()
    }
}

impl Cluster {
    /// Brings slots, which were opened with this cluster's [ledger](Cluster::ledger), up to what the cluster says, and keeps them there.
    ///
    /// # Errors
    ///
    /// [`ClusterFault`](adjudicate_core::ErrorCode::ClusterFault) if the bucket cannot be read. An entry that is refused here is no
    /// error: the slot keeps what it had and says so.
    pub fn follow(&self, slots: &Slots) -> Result<Following, Error> {
        let _ = slots;
        Err(fault("slots are not followed yet"))
    }
}
