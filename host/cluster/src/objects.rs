//! Modules and documents by the digest of their bytes, in the object store.
//!
//! What an object is called says what its bytes must be: whoever may write into the store can take one away, and cannot put
//! others in its place.

use adjudicate_host::codes;
use std::time::Duration;

use adjudicate_core::Error;
use adjudicate_sandbox::Digest;
use async_nats::jetstream::object_store::{
    GetErrorKind, InfoErrorKind, Object, ObjectInfo, ObjectMetadata, ObjectStore,
};
use tokio::{io::AsyncReadExt, time::timeout};

use crate::{
    cluster::Cluster,
    fault::{failed, fault},
};

/// In how long pieces objects are sent, where servers take messages of that length.
const PIECE: usize = 128 << 10;

impl Cluster {
    /// Keeps bytes where every host finds them by their digest. Those that are there already stay as they are.
    ///
    /// # Errors
    ///
    /// [`wrong_usage`](adjudicate_host::codes::WRONG_USAGE) for bytes with another digest; [`cluster_fault`](adjudicate_host::codes::CLUSTER_FAULT) if they cannot
    /// be kept, or if something else is under this digest.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, Settings};
    /// # let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
    /// use adjudicate_sandbox::Digest;
    /// let module = std::fs::read("policy.wasm")?;
    /// cluster.keep(Digest::of(&module), &module)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn keep(&self, digest: Digest, bytes: &[u8]) -> Result<(), Error> {
        if Digest::of(bytes) != digest {
            return Err(Error::new(codes::WRONG_USAGE, format!("these are not the bytes of `{digest}`")));
        }
        self.inner.require_connection()?;
        let (store, bytes, piece) = (self.inner.modules.clone(), bytes.to_vec(), self.piece());
        self.inner.wait(async move { keep(&store, digest, &bytes, piece).await })
    }

    /// In how long pieces objects are sent to these servers.
    pub(crate) fn piece(&self) -> usize {
        PIECE.min(self.max_payload() / 2).max(1)
    }

    /// The bytes with this digest, of which there may be `most`; verified.
    ///
    /// # Errors
    ///
    /// [`unknown_module`](adjudicate_host::codes::UNKNOWN_MODULE) if nobody kept them; [`module_too_large`](adjudicate_host::codes::MODULE_TOO_LARGE) for more than
    /// `most`, before they are read; [`cluster_fault`](adjudicate_host::codes::CLUSTER_FAULT) if they cannot be read, or are others than their digest
    /// says.
    ///
    /// ```no_run
    /// # use adjudicate_cluster::{Cluster, Settings};
    /// # let cluster = Cluster::connect(&Settings::at("nats://127.0.0.1:4222"))?;
    /// use adjudicate_sandbox::Digest;
    /// let digest = Digest::of(b"what somebody kept");
    /// let bytes = cluster.object(digest, 16 << 20)?;
    /// assert_eq!(Digest::of(&bytes), digest);
    /// # Ok::<(), adjudicate_core::Error>(())
    /// ```
    pub fn object(&self, digest: Digest, most: usize) -> Result<Vec<u8>, Error> {
        self.inner.require_connection()?;
        let (store, patience) = (self.inner.modules.clone(), self.inner.patience);
        self.inner.wait(async move { read(&store, digest.to_string(), digest, most, patience).await })
    }
}

async fn keep(store: &ObjectStore, digest: Digest, bytes: &[u8], piece: usize) -> Result<(), Error> {
    match store.info(digest.to_string()).await {
        Ok(found) if !found.deleted => {
            return if is_of(&found, bytes.len()) { Ok(()) } else { Err(others(digest)) };
        }
        // What is left of it is purged below, by a name that somebody wrote there.
        Ok(found) if !found.nuid.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
            return Err(others(digest));
        }
        Ok(_) => {}
        Err(error) if error.kind() == InfoErrorKind::NotFound => {}
        Err(error) => return Err(failed(&format!("the object `{digest}` cannot be looked for"), error)),
    }
    put(store, digest.to_string(), bytes, piece).await
}

/// Puts an object, in the place of another one of its name.
pub(crate) async fn put(store: &ObjectStore, name: String, bytes: &[u8], piece: usize) -> Result<(), Error> {
    let unkept = format!("the object `{name}` cannot be kept");
    let about = ObjectMetadata { name, chunk_size: Some(piece), ..ObjectMetadata::default() };
    let put = store.put(about, &mut &*bytes).await;
    put.map(drop).map_err(|error| failed(&unkept, error))
}

/// Reads an object of which there may be `most` bytes, and whose digest this is.
pub(crate) async fn read(
    store: &ObjectStore,
    name: String,
    digest: Digest,
    most: usize,
    patience: Duration,
) -> Result<Vec<u8>, Error> {
    let unreadable =
        |why: &dyn std::fmt::Display| failed(&format!("the object `{digest}` cannot be read"), why);
    let object = store.get(name).await.map_err(|error| match error.kind() {
        GetErrorKind::NotFound => {
            let message = format!("the cluster's store has no object `{digest}`");
            Error::new(codes::UNKNOWN_MODULE, message)
        }
        _ => unreadable(&error),
    })?;
    let size = object.info().size;
    if size > most {
        return Err(too_large(digest, &format!("{size} bytes"), most));
    }
    // The size is what somebody wrote beside it: there may be more, and there is no room for what may never come.
    let mut bytes = Vec::with_capacity(size.min(PIECE));
    let mut object = object.take(u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1));
    loop {
        match timeout(patience, read_some(&mut object, &mut bytes)).await {
            Err(_) => return Err(unreadable(&"nothing more of it came")),
            Ok(Err(error)) if error.kind() == std::io::ErrorKind::InvalidData => return Err(others(digest)),
            Ok(Err(error)) => return Err(unreadable(&error)),
            Ok(Ok(0)) if bytes.len() > most => return Err(too_large(digest, "more bytes", most)),
            Ok(Ok(0)) if Digest::of(&bytes) == digest => return Ok(bytes),
            Ok(Ok(0)) => return Err(others(digest)),
            Ok(Ok(_)) => {}
        }
    }
}

async fn read_some(object: &mut tokio::io::Take<Object>, bytes: &mut Vec<u8>) -> std::io::Result<usize> {
    object.read_buf(bytes).await
}

/// Whether this is said to be an object of so many bytes, and nothing that leads elsewhere.
fn is_of(found: &ObjectInfo, size: usize) -> bool {
    let leads_elsewhere = found.options.as_ref().is_some_and(|options| options.link.is_some());
    found.size == size && !leads_elsewhere
}

fn too_large(digest: Digest, size: &str, most: usize) -> Error {
    let message = format!("the object `{digest}` has {size}, the limit is {most}");
    Error::new(codes::MODULE_TOO_LARGE, message)
}

fn others(digest: Digest) -> Error {
    fault(format!("under the name `{digest}` the cluster's store has something with another digest"))
}
