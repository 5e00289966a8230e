//! A replay on the hosts of a cluster.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use adjudicate_cluster::{Cluster, Replay, Replayed, Settings, Sources};
use adjudicate_core::Error;
use adjudicate_host::reevaluation::{Reevaluation, Report, Step};
use adjudicate_sandbox::Digest;
use serde::Serialize;
use tokio::{runtime::Handle, task::spawn_blocking};

use super::{Asked, args};
use crate::{codes, layout, output};

/// The seconds to wait for other hosts.
const PATIENCE: u32 = 60;

impl Sources for Asked {
    fn module(&self, digest: Digest) -> Result<Vec<u8>, Error> {
        match (self.modules.get(&digest), &self.store) {
            (Some(bytes), _) => Ok(bytes.clone()),
            (None, Some(store)) => store.module_bytes(digest),
            (None, None) => Err(missing(&digest)),
        }
    }

    fn policy(&self, digest: &str) -> Result<Vec<u8>, Error> {
        self.policies.get(digest).cloned().ok_or_else(|| missing(&digest))
    }
}

fn missing(digest: &dyn std::fmt::Display) -> Error {
    Error::new(codes::UNKNOWN_MODULE, format!("there is nothing with the digest `{digest}` here"))
}

/// A run that hosts of a cluster decide.
#[derive(Debug)]
pub(super) struct Run {
    replay: Replay,
    /// Whether a signal came: the process ends by that then, whatever else there is to tell.
    is_interrupted: Arc<AtomicBool>,
}

/// The line that says who decided.
#[derive(Serialize)]
struct Told {
    replayed: Replayed,
}

impl Run {
    /// Begins a run. Whoever interrupts the command has it taken back first.
    pub(super) fn begin(settings: &Settings, asked: Asked, args: &args::Replay) -> Result<Self, Error> {
        let patience = Duration::from_secs(args.nats_patience.unwrap_or(PATIENCE).into());
        let cluster = Cluster::connect(settings)?;
        let replay = cluster.replay(asked, patience)?;
        let handle = cluster.handle();
        let (is_interrupted, stop) = (Arc::new(AtomicBool::new(false)), replay.stopper());
        let interrupted = Arc::clone(&is_interrupted);
        let stop = move || {
            interrupted.store(true, Ordering::SeqCst);
            stop();
        };
        watch(&handle, stop)
            .map_err(|error| Error::new(codes::HOST_FAULT, format!("no signals can be heard: {error}")))?;
        Ok(Self { replay, is_interrupted })
    }

    /// Has it decided.
    pub(super) fn decide(
        &self,
        again: &Reevaluation,
        steps: impl Iterator<Item = Result<Step, Error>>,
        progress: impl FnMut(u64),
    ) -> Result<Report, Error> {
        let report = again.run_elsewhere(steps, &self.replay, progress);
        while report.is_err() && self.is_interrupted.load(Ordering::SeqCst) {
            thread::park();
        }
        report
    }

    /// Ends it, and says who decided.
    pub(super) fn end(self) {
        output::error_line(&layout::json(&Told { replayed: self.replay.finish() }));
    }
}

/// Ends the process at a signal, once what is left of the run was taken back; with the status that the signal would have given it.
fn watch(handle: &Handle, stop: impl Fn() + Send + 'static) -> std::io::Result<()> {
    let _entered = handle.enter();
    #[cfg(unix)]
    let mut terminated = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    #[cfg(unix)]
    let mut interrupted = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::interrupt())?;
    handle.spawn(async move {
        #[cfg(unix)]
        let status = tokio::select! {
            _ = interrupted.recv() => 130,
            _ = terminated.recv() => 143,
        };
        #[cfg(not(unix))]
        let status = tokio::signal::ctrl_c().await.map_or(1, |()| 130);
        let stopped = spawn_blocking(stop).await;
        // That it could not be taken back changes nothing here: jobs are forgotten with time.
        drop(stopped);
        std::process::exit(status)
    });
    Ok(())
}
