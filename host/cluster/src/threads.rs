//! The threads of a connection, and waiting for futures on them.

use adjudicate_host::codes;
use std::{future::Future, sync::mpsc};

use adjudicate_core::Error;
use tokio::runtime::{Builder, Handle, Runtime};

use crate::fault::fault;

/// The threads of a connection. Dropping them does not wait: the last clone of a cluster may be dropped in a task, where waiting
/// panics.
#[derive(Debug)]
pub(crate) struct Threads(Option<Runtime>);

impl Threads {
    pub(crate) fn start() -> Result<Self, Error> {
        let runtime =
            Builder::new_multi_thread().worker_threads(2).thread_name("adjudicate-nats").enable_all().build();
        let runtime = runtime.map_err(|error| {
            Error::caused_by(codes::HOST_FAULT, "no threads can be started for NATS", error)
        })?;
        Ok(Self(Some(runtime)))
    }

    pub(crate) fn handle(&self) -> Result<Handle, Error> {
        self.0.as_ref().map(|runtime| runtime.handle().clone()).ok_or_else(|| fault("there are no threads"))
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Waits on this thread for a future on those threads.
pub(crate) fn wait<T: Send + 'static>(
    handle: &Handle,
    future: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> Result<T, Error> {
    let (sender, receiver) = mpsc::sync_channel(1);
    handle.spawn(async move {
        // The receiver may be gone.
        let _ = sender.send(future.await);
    });
    receiver.recv().unwrap_or_else(|_| Err(fault("the connection to NATS was closed")))
}
