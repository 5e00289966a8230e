//! A replay by the hosts of a cluster.

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

use super::{VersionSources, args};
use crate::{codes, environment::Environment, layout, output};

/// The default of `--nats-patience`, in seconds.
const PATIENCE: u32 = 60;

impl Sources for VersionSources {
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

/// A replay that the hosts of a cluster decide.
#[derive(Debug)]
pub(super) struct ClusterRun {
    replay: Replay,
    /// True after a signal, which then ends the process.
    is_interrupted: Arc<AtomicBool>,
}

/// The line on standard error with the hosts that decided.
#[derive(Serialize)]
struct ReplayedLine {
    replayed: Replayed,
}

impl ClusterRun {
    /// Begins a run. A signal first withdraws the jobs of the run, then ends the process.
    pub(super) fn begin(
        settings: &Settings,
        sources: VersionSources,
        args: &args::Replay,
    ) -> Result<Self, Error> {
        let patience = Duration::from_secs(args.nats_patience.unwrap_or(PATIENCE).into());
        let cluster = Cluster::connect(settings)?;
        let replay = cluster.replay(sources, patience)?;
        let handle = cluster.handle();
        let (is_interrupted, stop) = (Arc::new(AtomicBool::new(false)), replay.stopper());
        let interrupted = Arc::clone(&is_interrupted);
        let stop = move || {
            interrupted.store(true, Ordering::SeqCst);
            stop();
        };
        watch(&handle, stop)
            .map_err(|error| Error::caused_by(codes::HOST_FAULT, "signals cannot be handled", error))?;
        Ok(Self { replay, is_interrupted })
    }

    /// Decides all cases. After a signal, an error of the run is not returned: the process ends.
    pub(super) fn decide(
        &self,
        again: &Reevaluation,
        steps: impl Iterator<Item = Result<Step, Error>>,
        progress: impl FnMut(u64),
    ) -> Result<Report, Error> {
        let report = again.run_remotely(steps, &self.replay, progress);
        while report.is_err() && self.is_interrupted.load(Ordering::SeqCst) {
            thread::park();
        }
        report
    }

    /// Ends the run, and prints the hosts that decided.
    pub(super) fn end(self, env: &Environment) {
        output::error_line(env, &layout::json(&ReplayedLine { replayed: self.replay.finish() }));
    }
}

/// At a signal, calls `stop` and ends the process with the exit status of that signal.
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
        // An error is ignored: the servers delete jobs after some time.
        drop(stopped);
        std::process::exit(status)
    });
    Ok(())
}
