//! A client that sends exactly the given bytes, and a server in this process.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    thread,
    time::{Duration, Instant},
};

use adjudicate_serve::{Native, Server, ServerSettings};
use serde_json::Value;

/// An envelope that comes to `success`.
pub(crate) const ENVELOPE: &str = adjudicate_tests::envelope! { diff: r#"" M src/lib.rs\n""#, };

/// Long enough for a machine that is busy with other things, and no test waits so long that passes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for something that happens elsewhere.
pub(crate) fn until(what: &str, happened: impl Fn() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !happened() {
        assert!(Instant::now() < end, "{what}: not within {PATIENCE:?}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// A reply of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The status and the code of its error.
    pub(crate) fn error(&self) -> (u16, String) {
        (self.status, self.json()["error"]["code"].as_str().unwrap_or_default().to_owned())
    }
}

/// A connection.
pub(crate) struct Client<S: Read + Write = TcpStream> {
    stream: BufReader<S>,
}

impl Client {
    pub(crate) fn to(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Self::over(stream)
    }

    /// The half that says things.
    pub(crate) fn writer(&self) -> TcpStream {
        self.stream.get_ref().try_clone().unwrap()
    }
}

impl<S: Read + Write> Client<S> {
    pub(crate) fn over(stream: S) -> Self {
        Self { stream: BufReader::new(stream) }
    }

    /// Sends bytes. Returns whether that succeeded.
    pub(crate) fn say(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        let stream = self.stream.get_mut();
        stream.write_all(bytes.as_ref())?;
        stream.flush()
    }

    /// Sends bytes and reads a reply.
    pub(crate) fn ask(&mut self, bytes: impl AsRef<[u8]>) -> Reply {
        self.say(bytes).unwrap();
        self.reply().unwrap()
    }

    /// The next reply, whole.
    pub(crate) fn reply(&mut self) -> io::Result<Reply> {
        let mut reply = self.head()?;
        let mut body = Vec::new();
        if reply.header("transfer-encoding").is_some() {
            while let Some(chunk) = self.chunk()? {
                body.extend(chunk);
            }
        } else {
            let length = reply.header("content-length").map_or(0, |length| length.parse().unwrap());
            body.resize(length, 0);
            self.stream.read_exact(&mut body)?;
        }
        reply.body = String::from_utf8_lossy(&body).into_owned();
        Ok(reply)
    }

    /// The head of the next reply.
    pub(crate) fn head(&mut self) -> io::Result<Reply> {
        let first = self.line()?;
        let status = first.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| io::Error::other(format!("no status line: `{first}`")))?;
        let mut headers = Vec::new();
        loop {
            let line = self.line()?;
            let Some((name, value)) = line.split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        Ok(Reply { status, headers, body: String::new() })
    }

    /// The next chunk of a body; nothing at its end.
    pub(crate) fn chunk(&mut self) -> io::Result<Option<Vec<u8>>> {
        let size = self.line()?;
        let size = usize::from_str_radix(&size, 16).map_err(io::Error::other)?;
        let mut chunk = vec![0; size + 2];
        self.stream.read_exact(&mut chunk)?;
        chunk.truncate(size);
        Ok((size > 0).then_some(chunk))
    }

    fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        match self.stream.read_line(&mut line)? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(line.trim_end().to_owned()),
        }
    }

    /// Reads until the server closes the connection; `None` if it was reset.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        let _ = self.stream.read_to_end(&mut rest);
        rest
    }
}

/// A request, as text.
pub(crate) fn request(method: &str, path: &str, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let mut text = format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\n");
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    if !body.is_empty() || method != "GET" {
        text += &format!("content-length: {}\r\n", body.len());
    }
    [text.as_bytes(), b"\r\n", body].concat()
}

pub(crate) const JSON: (&str, &str) = ("content-type", "application/json");
pub(crate) const LINES: (&str, &str) = ("content-type", "application/x-ndjson");
pub(crate) const WASM: (&str, &str) = ("content-type", "application/wasm");

/// Sends a request with a JSON body on a new connection.
pub(crate) fn post(to: SocketAddr, path: &str, body: impl AsRef<[u8]>) -> Reply {
    Client::to(to).ask(request("POST", path, &[JSON], body))
}

pub(crate) fn get(to: SocketAddr, path: &str) -> Reply {
    Client::to(to).ask(request("GET", path, &[], ""))
}

/// A server of the engine that is built in.
pub(crate) fn server() -> Server {
    server_with(ServerSettings::default())
}

pub(crate) fn server_with(settings: ServerSettings) -> Server {
    Server::start(settings, Native::default(), None).unwrap()
}
