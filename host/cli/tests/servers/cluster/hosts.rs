//! Hosts of a cluster: processes of `adjudicate serve`, and the commands that change their slots.

use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;

use super::nats::{Nats, until};
use crate::{
    client::{Reply, get},
    process::{Process, command, run},
};

/// A folder with stores in it, and a server that they share.
pub(crate) struct Cluster {
    pub(crate) nats: Nats,
    folder: TempDir,
}

/// The result of a command.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    /// Returns the output of a successful run.
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.status, 0, "{self:?}");
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The status, and the code of the error.
    pub(crate) fn error(&self) -> (i32, String) {
        let error: Value =
            serde_json::from_str(&self.stderr).unwrap_or_else(|error| panic!("{error}: {self:?}"));
        (self.status, error["error"]["code"].as_str().unwrap().to_owned())
    }
}

impl Cluster {
    pub(crate) fn new() -> Self {
        Self::over(Nats::start())
    }

    pub(crate) fn over(nats: Nats) -> Self {
        Self { nats, folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts a host that takes modules without a signature.
    pub(crate) fn host(&self, store: &str) -> Process {
        self.host_with(store, &["--nats-allow-unsigned"])
    }

    pub(crate) fn host_with(&self, store: &str, args: &[&str]) -> Process {
        let url = self.nats.url();
        Process::with_store(&self.path(store), &[&["--nats", url.as_str()], args].concat())
    }

    /// Runs a command on a store, without the cluster.
    pub(crate) fn plain(&self, store: &str, args: &[&str]) -> Run {
        let mut command = command(args);
        command.arg("--store").arg(self.path(store)).current_dir(self.folder.path());
        let (status, stdout, stderr) = run(command);
        Run { status, stdout, stderr }
    }

    /// Runs a command that goes through the cluster.
    pub(crate) fn verb(&self, store: &str, args: &[&str]) -> Run {
        let url = self.nats.url();
        self.plain(store, &[args, &["--nats", url.as_str(), "--nats-allow-unsigned"]].concat())
    }

    /// Installs a module, and returns its digest.
    pub(crate) fn install(&self, store: &str, module: &[u8]) -> String {
        let file = self.path("module.wasm");
        std::fs::write(&file, module).unwrap();
        let run = self.verb(store, &["install", file.to_str().unwrap(), "--allow-unsigned"]);
        run.json()["module"]["digest"].as_str().unwrap().to_owned()
    }

    /// Activates a module in the slot `release`, and returns the number of the entry.
    pub(crate) fn activate(&self, store: &str, digest: &str) -> i64 {
        let run = self.verb(store, &["activate", "release", digest, "--create", "--allow-unsigned"]);
        run.json()["id"].as_i64().unwrap()
    }
}

pub(crate) fn ready(host: &Process) -> Reply {
    get(host.address, "/readyz")
}

/// A number of `/metrics`; nothing where there is none of this name and these labels.
pub(crate) fn metric(host: &Process, name: &str) -> Option<f64> {
    let text = get(host.address, "/metrics").body;
    let line = text.lines().find_map(|line| line.strip_prefix("adjudicate_")?.strip_prefix(name))?;
    line.trim().parse().ok()
}

/// Waits until all hosts are in this entry of the slot `release`.
pub(crate) fn all_in(hosts: &[&Process], entry: i64) {
    for host in hosts {
        until(&format!("the host is in entry {entry}"), || {
            metric(host, r#"slot_entry{slot="release"}"#) == Some(entry as f64)
        });
    }
}
