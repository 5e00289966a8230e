//! The registry: a process with a directory of its own, until it is dropped.

use std::{
    env,
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

/// The most time that the registry may take to begin.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Registry {
    process: Child,
    address: SocketAddr,
    _storage: TempDir,
}

/// The authorization and TLS of a registry.
#[derive(Clone, Copy, Default)]
pub(crate) struct RegistryOptions<'a> {
    /// The lines of an `htpasswd` file.
    pub(crate) passwords: Option<&'a str>,
    /// A certificate and its key, both PEM.
    pub(crate) tls: Option<(&'a str, &'a str)>,
}

impl Registry {
    pub(crate) fn start(options: RegistryOptions<'_>) -> Self {
        let program = env::var_os("ADJUDICATE_REGISTRY")
            .unwrap_or_else(|| panic!("ADJUDICATE_REGISTRY must name the program `docker-registry`"));
        // Another process may take the free port first.
        (0..5)
            .find_map(|_| Self::try_start(&program, options))
            .unwrap_or_else(|| panic!("{program:?} does not start"))
    }

    fn try_start(program: &std::ffi::OsStr, options: RegistryOptions<'_>) -> Option<Self> {
        let storage = TempDir::new().unwrap();
        let file = |name: &str, text: &str| {
            let path = storage.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.display().to_string()
        };
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let root = storage.path().join("data").display().to_string();
        let mut config = format!(
            "version: 0.1\nlog: {{level: error, accesslog: {{disabled: true}}}}\n\
             storage: {{filesystem: {{rootdirectory: {root:?}}}}}\n"
        );
        if let Some(lines) = options.passwords {
            config += &format!("auth: {{htpasswd: {{realm: test, path: {:?}}}}}\n", file("htpasswd", lines));
        }
        let tls = options.tls.map(|(certificate, key)| {
            format!(
                ", tls: {{certificate: {:?}, key: {:?}}}",
                file("cert.pem", certificate),
                file("key.pem", key)
            )
        });
        config += &format!("http: {{addr: \"{address}\", secret: s{}}}\n", tls.unwrap_or_default());
        let config = file("config.yml", &config);
        let process = Command::new(program)
            .args(["serve", &config])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut registry = Self { process, address, _storage: storage };
        let began = Instant::now();
        while TcpStream::connect(address).is_err() {
            if registry.process.try_wait().unwrap().is_some() || began.elapsed() > PATIENCE {
                return None;
            }
            thread::sleep(Duration::from_millis(20));
        }
        // The answer may come from a process that took the port.
        registry.process.try_wait().unwrap().is_none().then_some(registry)
    }

    pub(crate) fn reference(&self, rest: &str) -> String {
        format!("{}/{rest}", self.address)
    }

    pub(crate) const fn port(&self) -> u16 {
        self.address.port()
    }

    /// The status, head and body of a page of the registry, asked for as simply as can be.
    pub(crate) fn page(&self, path: &str, accept: &str) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: x\r\naccept: {accept}\r\nconnection: close\r\n\r\n")
            .unwrap();
        let mut all = Vec::new();
        stream.read_to_end(&mut all).unwrap();
        let end = all.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(all[..end].to_vec()).unwrap().to_ascii_lowercase();
        assert!(!head.contains("chunked"), "{head}");
        (head, all[end + 4..].to_vec())
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
