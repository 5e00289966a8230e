//! The server as a process of its own.

use std::{
    io::{BufRead, BufReader, Read},
    net::SocketAddr,
    path::Path,
    process::{Child, ChildStderr, Command, ExitStatus, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_adjudicate"));
    command.args(args).env_clear().stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The exit status, and what was printed.
pub(crate) fn run(mut command: Command) -> (i32, String, String) {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap_or(-1), text(output.stdout), text(output.stderr))
}

/// A server that listens, with a store of its own. It ends with this value.
pub(crate) struct Process {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
    pub(crate) reported: Value,
    pub(crate) stderr: BufReader<ChildStderr>,
    _directory: Option<TempDir>,
}

impl Process {
    pub(crate) fn start(args: &[&str]) -> Self {
        Self::with_variables(args, &[])
    }

    /// The same with variables of the environment.
    pub(crate) fn with_variables(args: &[&str], variables: &[(&str, &str)]) -> Self {
        let directory = TempDir::new().unwrap();
        Self::over(&directory.path().join("store"), Some(directory), args, variables)
    }

    /// The same with a store that was there before.
    pub(crate) fn with_store(store: &Path, args: &[&str]) -> Self {
        Self::over(store, None, args, &[])
    }

    fn over(store: &Path, directory: Option<TempDir>, args: &[&str], variables: &[(&str, &str)]) -> Self {
        let listen = ["serve", "--listen", "127.0.0.1:0", "--store", store.to_str().unwrap()];
        let mut command = command(&[&listen[..], args].concat());
        let mut process = Self::spawn(command.envs(variables.iter().copied()));
        process._directory = directory;
        process
    }

    /// Starts a command that serves, and reads its first line.
    pub(crate) fn spawn(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        let reported: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let address = reported["listening"].as_str().unwrap_or_else(|| panic!("{line}")).parse().unwrap();
        Self { child, address, reported, stderr, _directory: None }
    }

    /// Sends a signal by its name.
    pub(crate) fn signal(&self, name: &str) {
        let status = Command::new("kill").args(["-s", name, &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
    }

    /// Waits for the end. Returns the exit status and the rest of the output.
    pub(crate) fn end(&mut self) -> (ExitStatus, String) {
        let mut rest = String::new();
        self.stderr.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap(), rest)
    }

    /// KiB of memory that are in use.
    pub(crate) fn memory(&self) -> u64 {
        self.kibibytes("VmRSS:")
    }

    /// KiB of memory that were in use at most.
    pub(crate) fn peak_memory(&self) -> u64 {
        self.kibibytes("VmHWM:")
    }

    fn kibibytes(&self, field: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Process {
    /// The next line that it says.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.stderr.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }
}
