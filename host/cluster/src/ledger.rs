//! The bucket of slots as the ledger of a host: an entry replaces exactly one other (compare and swap).

use std::sync::Arc;

use adjudicate_core::Error;
use adjudicate_host::{Proposed, SlotLedger, codes};
use adjudicate_sandbox::Digest;
use async_nats::jetstream::kv::UpdateErrorKind;

use crate::{
    cluster::Cluster,
    connection::SlotValue,
    fault::{failed, fault},
    slot_entry::{key, write},
};

impl Cluster {
    /// Returns the ledger of slots, which is the bucket.
    ///
    /// ```no_run
    /// use adjudicate_cluster::Cluster;
    /// use adjudicate_core::Error;
    /// use adjudicate_host::{Host, Slots, Store};
    ///
    /// fn open(cluster: &Cluster, store: Store, host: Host) -> Result<Slots, Error> {
    ///     Slots::open_shared(store, host, cluster.ledger(), false)
    /// }
    /// ```
    #[must_use]
    pub fn ledger(&self) -> Arc<dyn SlotLedger> {
        Arc::new(self.clone())
    }

    /// Returns the error for a slot that is not in the entry with the number `before`.
    fn changed(&self, slot: &str, before: Option<i64>) -> Error {
        // If the current entry cannot be read, the error names only the expected one.
        let there = self.inner.last_entry(slot).ok().flatten();
        let message = match (there, before) {
            (Some(SlotValue { revision, entry: Err(error) }), _) => format!(
                "the slot `{slot}` cannot be changed while the value of its key in the bucket is unreadable, at {revision}: {}; \
                 nothing was changed",
                error.message()
            ),
            (_, Some(before)) => format!(
                "the slot `{slot}` is not in entry {before} in the cluster, because another client changed it; nothing was changed"
            ),
            (_, None) => format!("the cluster already has a slot `{slot}`; nothing was changed"),
        };
        Error::new(codes::SLOT_CHANGED, message)
    }
}

impl SlotLedger for Cluster {
    fn id(&self) -> &str {
        &self.inner.id
    }

    fn put(&self, slot: &str, before: Option<i64>, proposed: &Proposed<'_>) -> Result<i64, Error> {
        let key = key(slot)?;
        let revision = before.map_or(Ok(0), u64::try_from);
        let revision = revision.map_err(|_| fault("an entry of a slot has a number below 0"))?;
        let value = write(slot, proposed)?;
        let most = self.max_payload();
        // Subject and headers are counted, too.
        if value.len() + 1024 > most {
            let message =
                format!("the slot's state has {} bytes, the limit of messages is {most}", value.len());
            return Err(Error::new(codes::LIMIT_EXCEEDED, message));
        }
        self.inner.require_connection()?;
        let slots = self.inner.slots.clone();
        let updated = self.inner.wait(async move { Ok(slots.update(key, value.into(), revision).await) });
        let unknown = format!("it is unknown whether the slot `{slot}` was changed in the cluster");
        match updated.map_err(|error| fault(format!("{unknown}: {}", error.message())).with_source(error))? {
            Ok(number) => i64::try_from(number).map_err(|_| fault("the bucket counts further than a host")),
            Err(error) => match error.kind() {
                UpdateErrorKind::WrongLastRevision => Err(self.changed(slot, before)),
                UpdateErrorKind::TimedOut => Err(self.inner.noticed(failed(&unknown, error))),
                _ => Err(failed(&format!("the slot `{slot}` cannot be changed in the cluster"), error)),
            },
        }
    }

    fn store_module(&self, digest: Digest, bytes: &[u8]) -> Result<(), Error> {
        self.keep(digest, bytes)
    }

    fn module(&self, digest: Digest, most: usize) -> Result<Vec<u8>, Error> {
        self.object(digest, most)
    }
}
