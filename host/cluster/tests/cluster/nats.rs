//! A nats-server of a test: a process of its own, with a folder of its own, that can be killed and started again.
//!
//! Included by the tests of the command, too; not all of them need all of it.

#![allow(dead_code, reason = "whoever includes this file uses what it needs of it")]

use std::{
    env, fs,
    net::{SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

/// How long anything may take before a test fails.
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
    /// Starts a server with streams, to which everybody may connect.
    pub(crate) fn start() -> Self {
        Self::start_with(|_| None)
    }

    /// Starts a server with further lines of configuration; `lines` is told the folder, for files that they name.
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

    /// Starts the server again, on the same port and with what it kept.
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
            // Somebody else may have the port for a moment.
            assert!(Instant::now() < deadline, "nats-server does not run: {}", self.log());
            thread::sleep(Duration::from_millis(200));
        }
    }

    /// Ends the server at once, without giving it time to write anything.
    pub(crate) fn kill(&mut self) {
        let mut process = self.process.take().expect("the server runs");
        process.kill().unwrap();
        process.wait().unwrap();
    }

    /// Stops the server where it is: its connections stay open, and nothing is answered.
    pub(crate) fn hang(&self) {
        self.signal("STOP");
    }

    /// Has a server that hangs go on.
    pub(crate) fn go_on(&self) {
        self.signal("CONT");
    }

    fn signal(&self, signal: &str) {
        let id = self.process.as_ref().expect("the server runs").id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
    }

    /// Gives the server another configuration for when it runs again.
    pub(crate) fn configure(&self, lines: &str) {
        fs::write(self.configuration.as_ref().expect("there is a configuration"), lines).unwrap();
    }

    /// Forgets what the server kept. It must not run.
    pub(crate) fn lose_everything(&self) {
        assert!(self.process.is_none(), "the server runs");
        fs::remove_dir_all(self.store()).unwrap();
    }

    /// Where it is.
    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Its port on this machine.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Where it keeps things, for copies of them.
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

    /// Whether it says hello, which it does once streams are there.
    fn is_ready(&self) -> bool {
        let address = SocketAddr::from(([127, 0, 0, 1], self.port));
        let said = TcpStream::connect_timeout(&address, Duration::from_secs(1)).and_then(|mut stream| {
            stream.set_read_timeout(Some(Duration::from_secs(1)))?;
            let mut said = [0; 5];
            std::io::Read::read_exact(&mut stream, &mut said).map(|()| said)
        });
        said.is_ok_and(|said| &said == b"INFO ")
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

/// The server's program.
fn program() -> PathBuf {
    let path = env::var_os("ADJUDICATE_NATS_SERVER").map(PathBuf::from);
    path.expect("these tests need a nats-server, which `cargo xtask test cluster` installs and names in ADJUDICATE_NATS_SERVER")
}

/// A port that nobody has just now; the server keeps it when it is started again.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

/// Waits until something holds; fails with what it should have been after a long time.
pub(crate) fn until(what: &str, holds: impl FnMut() -> bool) {
    within(LIMIT, what, holds);
}

/// The same of what takes some time even where nothing is in the way.
pub(crate) fn within(limit: Duration, what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + limit;
    while !holds() {
        assert!(Instant::now() < deadline, "{what}: not within {limit:?}");
        thread::sleep(Duration::from_millis(20));
    }
}
