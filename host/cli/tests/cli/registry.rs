//! A registry whose answers a test defines. It records the requests.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};

use adjudicate_sandbox::Digest;
use serde_json::{Value, json};

/// A request that the server received.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedRequest {
    pub(crate) method: String,
    pub(crate) path: String,
    /// By names in lower case.
    pub(crate) head: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl ReceivedRequest {
    pub(crate) fn authorization(&self) -> Option<&str> {
        self.head.get("authorization").map(String::as_str)
    }
}

/// An answer: all of it, or what writes it.
pub(crate) enum Answer {
    Whole { status: u16, head: Vec<(String, String)>, body: Vec<u8> },
    Raw(Box<dyn FnOnce(&mut TcpStream) + Send>),
}

impl Answer {
    pub(crate) fn status(status: u16) -> Self {
        Self::Whole { status, head: Vec::new(), body: Vec::new() }
    }

    pub(crate) fn ok(body: impl Into<Vec<u8>>) -> Self {
        Self::Whole { status: 200, head: Vec::new(), body: body.into() }
    }

    pub(crate) fn raw(write: impl FnOnce(&mut TcpStream) + Send + 'static) -> Self {
        Self::Raw(Box::new(write))
    }

    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        if let Self::Whole { head, .. } = &mut self {
            head.push((name.to_owned(), value.into()));
        }
        self
    }

    fn write(self, to: &mut TcpStream) {
        match self {
            Self::Raw(write) => write(to),
            Self::Whole { status, head, body } => {
                let mut text = format!("HTTP/1.1 {status} x\r\nconnection: close\r\n");
                for (name, value) in &head {
                    text += &format!("{name}: {value}\r\n");
                }
                if !head.iter().any(|(name, _)| name == "content-length") {
                    text += &format!("content-length: {}\r\n", body.len());
                }
                // The client may have gone away.
                let _ = to.write_all(text.as_bytes()).and_then(|()| to.write_all(b"\r\n"));
                let _ = to.write_all(&body);
            }
        }
    }
}

/// A server on a port of its own, until it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<ReceivedRequest>>>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start(answer: impl Fn(&ReceivedRequest) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (asked, is_over) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (log, over, answer) = (Arc::clone(&asked), Arc::clone(&is_over), Arc::new(answer));
        let thread = thread::spawn(move || {
            for stream in listener.incoming() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                let (Ok(stream), log, answer) = (stream, Arc::clone(&log), Arc::clone(&answer)) else {
                    continue;
                };
                thread::spawn(move || serve(stream, &log, &*answer));
            }
        });
        Self { address, asked, is_over, thread: Some(thread) }
    }

    pub(crate) fn host(&self) -> String {
        self.address.to_string()
    }

    pub(crate) fn asked(&self) -> Vec<ReceivedRequest> {
        self.asked.lock().unwrap().clone()
    }

    /// Returns the requested paths.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.asked().into_iter().map(|asked| format!("{} {}", asked.method, asked.path)).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(self.address));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(
    mut stream: TcpStream,
    log: &Mutex<Vec<ReceivedRequest>>,
    answer: &dyn Fn(&ReceivedRequest) -> Answer,
) {
    let Some(asked) = read(&stream) else { return };
    log.lock().unwrap().push(asked.clone());
    answer(&asked).write(&mut stream);
}

fn read(stream: &TcpStream) -> Option<ReceivedRequest> {
    let mut reader = BufReader::new(stream);
    let mut line = || {
        let mut line = String::new();
        let count = reader.read_line(&mut line).ok()?;
        (count > 0).then(|| line.trim_end().to_owned())
    };
    let first = line()?;
    let mut words = first.split(' ');
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut head = BTreeMap::new();
    loop {
        let line = line()?;
        let Some((name, value)) = line.split_once(':') else { break };
        head.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let length = head.get("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(ReceivedRequest { method, path, head, body })
}

/// The documents under one tag. A test can change them before they are served.
#[derive(Clone)]
pub(crate) struct Stock {
    pub(crate) manifest: Value,
    pub(crate) config: Value,
    pub(crate) layer: Vec<u8>,
}

pub(crate) const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

impl Stock {
    /// A module in the layout, put together from what the layout says and not by what is tested.
    pub(crate) fn new(layer: &[u8]) -> Self {
        let digest = Digest::sha256(layer).to_string();
        let config = json!({
            "created": "2024-05-02T00:00:00Z", "author": "someone", "architecture": "wasm", "os": "wasip1",
            "layerDigests": [digest],
        });
        let manifest = json!({
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "config": {
                "mediaType": "application/vnd.wasm.config.v0+json",
                "size": config.to_string().len(),
                "digest": Digest::sha256(config.to_string().as_bytes()).to_string(),
            },
            "layers": [{"mediaType": "application/wasm", "size": layer.len(), "digest": digest}],
        });
        Self { manifest, config, layer: layer.to_vec() }
    }

    /// With another config, which the manifest then names.
    pub(crate) fn with_config(mut self, change: impl FnOnce(&mut Value)) -> Self {
        change(&mut self.config);
        let text = self.config.to_string();
        self.manifest["config"]["size"] = text.len().into();
        self.manifest["config"]["digest"] = Digest::sha256(text.as_bytes()).to_string().into();
        self
    }

    pub(crate) fn with_manifest(mut self, change: impl FnOnce(&mut Value)) -> Self {
        change(&mut self.manifest);
        self
    }

    pub(crate) fn digest(&self) -> String {
        Digest::sha256(self.manifest.to_string().as_bytes()).to_string()
    }

    pub(crate) fn manifest_answer(&self) -> Answer {
        Answer::ok(self.manifest.to_string()).with("content-type", MANIFEST)
    }

    /// Returns the answer of an honest registry.
    pub(crate) fn answer(&self, asked: &ReceivedRequest) -> Answer {
        let named = |descriptor: &Value| asked.path.ends_with(descriptor["digest"].as_str().unwrap());
        if asked.path.contains("/manifests/") {
            self.manifest_answer()
        } else if named(&self.manifest["config"]) {
            Answer::ok(self.config.to_string())
        } else if named(&self.manifest["layers"][0]) {
            Answer::ok(self.layer.clone())
        } else {
            Answer::status(404)
        }
    }
}
