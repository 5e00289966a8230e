//! Decision records.

use std::{collections::BTreeMap, time::Duration};

use adjudicate_core::Error;
use adjudicate_host::Store;

use crate::{cluster::Cluster, fault::fault};

/// Decision records that are sent to the cluster, until it is dropped.
#[derive(Debug)]
pub struct Forwarding {
    _private: (),
}

impl Forwarding {
    /// What is wrong now, by slot.
    #[must_use]
    pub fn troubles(&self) -> BTreeMap<String, Error> {
        BTreeMap::new()
    }

    /// Waits until all records of the store are in the stream, up to so long, and ends.
    ///
    /// # Errors
    ///
    /// [`ClusterFault`](adjudicate_core::ErrorCode::ClusterFault), with how many are not there: they stay in the store, and are sent
    /// when it is forwarded again.
    pub fn finish(self, within: Duration) -> Result<(), Error> {
        let _ = within;
        Ok(())
    }
}

impl Cluster {
    /// Sends the decision records of a store to the stream, from where the stream ends, and those that come.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub fn forward_records(&self, store: &Store) -> Result<Forwarding, Error> {
        let _ = store;
        Err(fault("records are not forwarded yet"))
    }

    /// Hands over the records of a slot that a host wrote, in their order, as lines of JSON with their hashes, verified as a chain.
    ///
    /// # Errors
    ///
    /// [`WrongUsage`](adjudicate_core::ErrorCode::WrongUsage) if several hosts wrote some and none is named;
    /// [`BrokenChain`](adjudicate_core::ErrorCode::BrokenChain); [`ClusterFault`](adjudicate_core::ErrorCode::ClusterFault); those of `take`.
    pub fn export_records<E: From<Error>>(
        &self,
        slot: &str,
        host: Option<&str>,
        take: impl FnMut(&str) -> Result<(), E>,
    ) -> Result<(), E> {
        let _ = (slot, host, take);
        Err(fault("records are not exported yet").into())
    }
}
