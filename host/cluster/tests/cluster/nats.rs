//! A nats-server for tests: a process with a folder of its own that can be killed and restarted.
//!
//! The tests of the command include this file, too, and do not use all of it.

#![allow(dead_code, reason = "each test program that includes this file uses a part of it")]

use std::{
    env, fs,
    net::{SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, WaitOptions, waitpid};
use tempfile::TempDir;

/// The longest wait before a test fails.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// A nats-server that is stopped with the test.
#[derive(Debug)]
pub(crate) struct Nats {
    folder: TempDir,
    port: u16,
    configuration: Option<PathBuf>,
    process: Option<Child>,
}

impl Nats {
    /// Starts a server with streams and without authentication.
    pub(crate) fn start() -> Self {
        Self::start_with(|_| None)
    }

    /// Starts a server with further lines of configuration. `lines` gets the folder, for files that they name.
    pub(crate) fn start_with(lines: impl FnOnce(&Path) -> Option<String>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let configuration = lines(folder.path()).map(|lines| {
            let path = folder.path().join("nats.conf");
            fs::write(&path, lines).unwrap();
            path
        });
        let mut nats = Self { folder, port: free_port(), configuration, process: None };
        nats.run();
        nats
    }

    /// Starts the server again on the same port and with its data.
    pub(crate) fn run(&mut self) {
        assert!(self.process.is_none(), "the server runs");
        let deadline = Instant::now() + LIMIT;
        loop {
            let mut process = self.command().spawn().expect("nats-server can be started");
            while process.try_wait().unwrap().is_none() {
                if self.is_ready() {
                    self.process = Some(process);
                    return;
                }
                assert!(Instant::now() < deadline, "nats-server is not ready: {}", self.log());
                thread::sleep(Duration::from_millis(20));
            }
            // Another process may have the port for a moment.
            assert!(Instant::now() < deadline, "nats-server does not run: {}", self.log());
            thread::sleep(Duration::from_millis(200));
        }
    }

    /// Kills the server, which has no time to write.
    pub(crate) fn kill(&mut self) {
        let mut process = self.process.take().expect("the server runs");
        process.kill().unwrap();
        process.wait().unwrap();
    }

    /// Suspends the server: its connections stay open without answers.
    ///
    /// A signal stops a process some time after it is sent, so this waits until all threads of the server have stopped.
    pub(crate) fn hang(&self) {
        self.signal("STOP");
        let id = Pid::from_child(self.process.as_ref().expect("the server runs"));
        let waited = waitpid(Some(id), WaitOptions::UNTRACED).unwrap();
        assert!(waited.is_some_and(|(_, status)| status.stopped()), "the server ended: {}", self.log());
    }

    /// Resumes a suspended server.
    pub(crate) fn go_on(&self) {
        self.signal("CONT");
    }

    fn signal(&self, signal: &str) {
        let id = self.process.as_ref().expect("the server runs").id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
    }

    /// Changes the configuration for the next start.
    pub(crate) fn configure(&self, lines: &str) {
        fs::write(self.configuration.as_ref().expect("there is a configuration"), lines).unwrap();
    }

    /// Deletes the data of the server, which must not run.
    pub(crate) fn lose_everything(&self) {
        assert!(self.process.is_none(), "the server runs");
        fs::remove_dir_all(self.store()).unwrap();
    }

    /// The address of the server.
    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Its port on this machine.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The data directory, for copies.
    pub(crate) fn store(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    fn command(&self) -> Command {
        let mut command = Command::new(program());
        command.args(["--addr", "127.0.0.1", "--port", &self.port.to_string(), "--jetstream", "--store_dir"]);
        command.arg(self.store()).arg("--log").arg(self.folder.path().join("log"));
        if let Some(configuration) = &self.configuration {
            command.arg("--config").arg(configuration);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// True if the server sends its greeting, which it does when streams are ready.
    fn is_ready(&self) -> bool {
        let address = SocketAddr::from(([127, 0, 0, 1], self.port));
        let reported = TcpStream::connect_timeout(&address, Duration::from_secs(1)).and_then(|mut stream| {
            stream.set_read_timeout(Some(Duration::from_secs(1)))?;
            let mut reported = [0; 5];
            std::io::Read::read_exact(&mut stream, &mut reported).map(|()| reported)
        });
        reported.is_ok_and(|reported| &reported == b"INFO ")
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        if let Some(mut process) = self.process.take() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// The path of the server's program.
fn program() -> PathBuf {
    let path = env::var_os("ADJUDICATE_NATS_SERVER").map(PathBuf::from);
    path.expect("these tests need a nats-server, which `cargo xtask test cluster` installs and names in ADJUDICATE_NATS_SERVER")
}

/// A port that is free now. The server keeps it after a restart.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

/// Waits until a condition holds. Fails with the description after a long time.
pub(crate) fn until(what: &str, holds: impl FnMut() -> bool) {
    within(LIMIT, what, holds);
}

/// Does the same with another limit, for conditions that always take time.
pub(crate) fn within(limit: Duration, what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + limit;
    while !holds() {
        assert!(Instant::now() < deadline, "{what}: not within {limit:?}");
        thread::sleep(Duration::from_millis(20));
    }
}
