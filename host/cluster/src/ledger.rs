//! The bucket of slots as the ledger of a host, in which an entry replaces exactly one other (compare and swap). Also the object store,
//! with modules and documents by the digest of their bytes.
//!
//! The name of an object determines its bytes. A client that may write to the store can remove an object, but not replace it.

use std::{sync::Arc, time::Duration};

use adjudicate_core::Error;
use adjudicate_host::{Proposed, SlotLedger, codes};
use adjudicate_sandbox::Digest;
use async_nats::jetstream::{
    kv::UpdateErrorKind,
    object_store::{GetErrorKind, InfoErrorKind, ObjectInfo, ObjectMetadata, ObjectStore},
};
use tokio::{io::AsyncReadExt, time::timeout};

use crate::{
    cluster::Cluster,
    connection::SlotValue,
    fault::{failed, fault, wrong_usage},
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

/// The size of the pieces in which objects are sent, if the servers accept messages of that size.
const PIECE: usize = 128 << 10;

impl Cluster {
    /// Stores bytes under their digest for all hosts. Existing objects are not changed.
    ///
    /// # Errors
    ///
    /// [`wrong_usage`](adjudicate_host::codes::WRONG_USAGE) for bytes with another digest;
    /// [`cluster_fault`](adjudicate_host::codes::CLUSTER_FAULT) if they cannot be stored, or if the object with this name has other
    /// bytes.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, ClusterSettings};
    /// # let cluster = Cluster::connect(&ClusterSettings::at("nats://127.0.0.1:4222"))?;
    /// use adjudicate_sandbox::Digest;
    /// let module = std::fs::read("policy.wasm")?;
    /// cluster.keep(Digest::sha256(&module), &module)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn keep(&self, digest: Digest, bytes: &[u8]) -> Result<(), Error> {
        if Digest::sha256(bytes) != digest {
            return Err(wrong_usage(format!("these are not the bytes of `{digest}`")));
        }
        self.inner.require_connection()?;
        let piece = PIECE.min(self.max_payload() / 2).max(1);
        let (store, bytes) = (self.inner.modules.clone(), bytes.to_vec());
        self.inner.wait(async move { keep(&store, digest, &bytes, piece).await })
    }

    /// Reads and verifies the bytes with this digest, at most `most` of them.
    ///
    /// # Errors
    ///
    /// [`unknown_module`](adjudicate_host::codes::UNKNOWN_MODULE) if there is no such object;
    /// [`module_too_large`](adjudicate_host::codes::MODULE_TOO_LARGE) for more than `most` bytes, before they are read;
    /// [`cluster_fault`](adjudicate_host::codes::CLUSTER_FAULT) if they cannot be read, or do not match the digest.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, ClusterSettings};
    /// # let cluster = Cluster::connect(&ClusterSettings::at("nats://127.0.0.1:4222"))?;
    /// use adjudicate_sandbox::Digest;
    /// let digest = Digest::sha256(b"a stored module");
    /// let bytes = cluster.object(digest, 16 << 20)?;
    /// assert_eq!(Digest::sha256(&bytes), digest);
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn object(&self, digest: Digest, most: usize) -> Result<Vec<u8>, Error> {
        self.inner.require_connection()?;
        let (store, patience) = (self.inner.modules.clone(), self.inner.patience);
        self.inner.wait(async move { read(&store, digest, most, patience).await })
    }
}

async fn keep(store: &ObjectStore, digest: Digest, bytes: &[u8], piece: usize) -> Result<(), Error> {
    match store.info(digest.to_string()).await {
        Ok(found) if !found.deleted => {
            return if is_of(&found, bytes.len()) { Ok(()) } else { Err(others(digest)) };
        }
        // The rest of such an object is purged below by this id, which any client may have written.
        Ok(found) if !found.nuid.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
            return Err(others(digest));
        }
        Ok(_) => {}
        Err(error) if error.kind() == InfoErrorKind::NotFound => {}
        Err(error) => return Err(failed(&format!("the object `{digest}` cannot be inspected"), error)),
    }
    let name = digest.to_string();
    let about = ObjectMetadata { name, chunk_size: Some(piece), ..ObjectMetadata::default() };
    let put = store.put(about, &mut &*bytes).await;
    put.map(drop).map_err(|error| failed(&format!("the object `{digest}` cannot be stored"), error))
}

/// Reads an object of at most `most` bytes and verifies its digest.
async fn read(
    store: &ObjectStore,
    digest: Digest,
    most: usize,
    patience: Duration,
) -> Result<Vec<u8>, Error> {
    let what = format!("the object `{digest}` cannot be read");
    let object = store.get(digest.to_string()).await.map_err(|error| match error.kind() {
        GetErrorKind::NotFound => {
            let message = format!("the cluster's store has no object `{digest}`");
            Error::new(codes::UNKNOWN_MODULE, message)
        }
        _ => failed(&what, error),
    })?;
    let size = object.info().size;
    if size > most {
        return Err(too_large(digest, &format!("{size} bytes"), most));
    }
    // The declared size may be wrong: there may be more bytes, and memory is not reserved for bytes that may never come.
    let mut bytes = Vec::with_capacity(size.min(PIECE));
    let mut object = object.take(u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1));
    loop {
        let read = timeout(patience, object.read_buf(&mut bytes)).await;
        match read {
            Err(_) => return Err(fault(format!("{what}: the server stopped sending"))),
            Ok(Err(error)) if error.kind() == std::io::ErrorKind::InvalidData => return Err(others(digest)),
            Ok(Err(error)) => return Err(failed(&what, error)),
            Ok(Ok(0)) if bytes.len() > most => return Err(too_large(digest, "more bytes", most)),
            Ok(Ok(0)) if Digest::sha256(&bytes) == digest => return Ok(bytes),
            Ok(Ok(0)) => return Err(others(digest)),
            Ok(Ok(_)) => {}
        }
    }
}

/// True if the object has this size and is not a link.
fn is_of(found: &ObjectInfo, size: usize) -> bool {
    let leads_elsewhere = found.options.as_ref().is_some_and(|options| options.link.is_some());
    found.size == size && !leads_elsewhere
}

fn too_large(digest: Digest, size: &str, most: usize) -> Error {
    let message = format!("the object `{digest}` has {size}, the limit is {most}");
    Error::new(codes::MODULE_TOO_LARGE, message)
}

fn others(digest: Digest) -> Error {
    fault(format!("the object `{digest}` of the cluster's store has other bytes"))
}
