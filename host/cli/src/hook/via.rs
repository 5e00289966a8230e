//! The server whose slot decides, for `hook --via`.

#[cfg(unix)]
use std::os::unix::fs::PermissionsExt as _;
use std::{
    fs, io,
    net::{IpAddr, SocketAddr},
    path::{Path, PathBuf},
    str::FromStr,
    time::Duration,
};

use adjudicate_collect::hooks::{Agent, HookAnswer, in_session};
use adjudicate_core::{
    Error, Operation,
    json::{self, Kind, ReadLimits},
};
use clap::Args;
use http_body_util::{BodyExt, Full, Limited};
use hyper::{Request, StatusCode, body::Bytes, client::conn::http1, header, header::HeaderValue};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    runtime::Builder,
    time::timeout,
};

use crate::{codes, environment::Environment};

/// The longest wait for an answer: half of the hook's own time before a call.
const LIMIT: Duration = Duration::from_secs(10);

/// The most bytes of an answer.
const MAX_ANSWER_BYTES: usize = 64 << 20;

/// The most decisions at the end of a turn, each of two answers, until both come from one version.
const ATTEMPTS: u32 = 3;

/// The headers that name the version: the entry of the slot comes first.
const VERSION: [&str; 3] = ["adjudicate-entry", "adjudicate-by", "adjudicate-modules"];

/// The error for an answer without a decision: another program may listen at the address.
const UNDECIDED: &str = "the answer is no decision of a slot";

/// The server, the slot and the token.
#[derive(Clone, Debug, Args)]
pub(super) struct ViaArgs {
    /// Let a slot of the server at this address decide, instead of the policy of the repository
    ///
    /// The address is `http://` and one of this machine, or `unix:` and the path of the server's socket.
    #[arg(long, value_name = "URL", requires = "slot")]
    via: Option<ServerAddress>,
    /// The slot that decides
    #[arg(long, value_name = "SLOT", requires = "via")]
    slot: Option<String>,
    /// The file with the token of the server
    #[arg(long, value_name = "FILE", requires = "via")]
    token_file: Option<PathBuf>,
    #[arg(skip = LIMIT)]
    limit: Duration,
}

/// The address of a server on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ServerAddress {
    Port(SocketAddr),
    Socket(PathBuf),
}

impl FromStr for ServerAddress {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(path) = text.strip_prefix("unix:") {
            let path = Path::new(path);
            return if path.is_absolute() {
                Ok(Self::Socket(path.into()))
            } else {
                Err("the socket needs an absolute path")
            };
        }
        let rest = text.strip_prefix("http://").map(|rest| rest.trim_end_matches('/'));
        let (name, port) = rest
            .and_then(|rest| rest.rsplit_once(':'))
            .ok_or("expected `http://127.0.0.1:PORT` or `unix:/PATH`")?;
        let ip = match name {
            "localhost" => Some(IpAddr::from([127, 0, 0, 1])),
            name => name.trim_matches(['[', ']']).parse().ok(),
        };
        // A token and the call would be readable for other machines, and the server follows links of its own machine.
        let ip = ip.filter(IpAddr::is_loopback).ok_or("the server must be on this machine")?;
        let port = port.parse().map_err(|_| "expected a port")?;
        Ok(Self::Port(SocketAddr::new(ip, port)))
    }
}

impl std::fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Port(address) => write!(f, "http://{address}"),
            Self::Socket(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

/// A slot of a server.
#[derive(Clone, Debug)]
pub(super) struct Via {
    address: ServerAddress,
    slot: String,
    token: Option<String>,
    limit: Duration,
}

impl ViaArgs {
    /// Returns the slot that decides, unless the policy of the repository does.
    pub(super) fn slot(&self, env: &Environment) -> Result<Option<Via>, Error> {
        let (Some(address), Some(slot)) = (&self.via, &self.slot) else { return Ok(None) };
        let read = |file: &PathBuf| {
            let text = fs::read_to_string(env.path(file));
            text.map(|text| text.trim().to_owned()).map_err(|error| {
                let message = format!("cannot read the token in `{}`", file.display());
                Error::caused_by(codes::UNREADABLE_INPUT, message, error)
            })
        };
        let token = self.token_file.as_ref().map(read).transpose()?;
        Ok(Some(Via { address: address.clone(), slot: slot.clone(), token, limit: self.limit }))
    }

    /// Returns the options for the command of an installed hook.
    ///
    /// # Errors
    ///
    /// [`codes::WRONG_USAGE`] for a value that the shells of agents would read in another way.
    pub(super) fn line(&self, env: &Environment) -> Result<String, Error> {
        let (Some(address), Some(slot)) = (&self.via, &self.slot) else { return Ok(String::new()) };
        let file = self.token_file.as_ref().map(|file| std::path::absolute(env.path(file))).transpose();
        let file = file.map_err(|error| {
            Error::caused_by(codes::UNREADABLE_INPUT, "the current folder cannot be read", error)
        })?;
        let file = file.map(|file| file.display().to_string());
        let words =
            [Some("--via".into()), Some(address.to_string()), Some("--slot".into()), Some(slot.clone())];
        let words: Vec<_> = words
            .into_iter()
            .chain([file.is_some().then(|| "--token-file".into()), file])
            .flatten()
            .collect();
        let is_plain = |letter: char| letter.is_alphanumeric() || "-_./:[]".contains(letter);
        if let Some(word) = words.iter().find(|word| !word.chars().all(is_plain)) {
            let message = format!(
                "an installed hook cannot name `{word}`, because a shell would read it in another way"
            );
            return Err(Error::new(codes::WRONG_USAGE, message));
        }
        Ok(format!(" {}", words.join(" ")))
    }

    /// Returns true if a slot decides.
    pub(super) const fn is_set(&self) -> bool {
        self.via.is_some()
    }

    /// Returns the slot's decision on the work of a session: the answers of `evaluate` and `refine`, both of one version.
    pub(super) fn decide(
        &self,
        envelope: &str,
        session: &str,
        env: &Environment,
    ) -> io::Result<(String, String)> {
        let via = self.slot(env).map_err(io::Error::other)?.ok_or(io::ErrorKind::Unsupported)?;
        let body = format!(r#"{{"envelope":{}}}"#, in_session(envelope, session).map_err(io::Error::other)?);
        let call = |operation: Operation| {
            let reply = via.post(&format!("/v1/slots/{}/{}", via.slot, operation.name()), body.clone())?;
            match reply.version {
                Some(version) => Ok((reply.text, version)),
                None => Err(io::Error::other(UNDECIDED)),
            }
        };
        for _ in 0..ATTEMPTS {
            let (evaluation, first) = call(Operation::Evaluate)?;
            let (revision, second) = call(Operation::Refine)?;
            if first == second {
                return Ok((evaluation, revision));
            }
        }
        Err(io::Error::other(format!("the version in the slot `{}` changed during each decision", via.slot)))
    }
}

impl Via {
    /// Returns the server's answer to an event before a call.
    pub(super) fn answer(&self, agent: Agent, event: String) -> io::Result<HookAnswer> {
        let Reply { text: output, version } =
            self.post(&format!("/v1/hooks/{}/{}", agent.name(), self.slot), event)?;
        let tape = json::read(output.as_bytes(), ReadLimits::DOCUMENT).map_err(io::Error::other)?;
        if tape.root().kind() != Kind::Object || !(version.is_some() || agent.is_denial(&output)) {
            return Err(io::Error::other(UNDECIDED));
        }
        // Without a word, the permissions of the agent decide.
        let output = if output == "{}" { String::new() } else { output };
        Ok(HookAnswer { output, ..HookAnswer::default() })
    }

    /// Sends a body.
    fn post(&self, path: &str, body: String) -> io::Result<Reply> {
        let mut request = Request::post(path)
            .header(header::HOST, "localhost")
            .header(header::CONTENT_TYPE, "application/json");
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let request = request.body(Full::from(body)).map_err(io::Error::other)?;
        let exchange = async {
            match &self.address {
                ServerAddress::Port(address) => exchange(TcpStream::connect(address).await?, request).await,
                #[cfg(unix)]
                ServerAddress::Socket(path) => {
                    let stream = tokio::net::UnixStream::connect(path).await?;
                    let mode = fs::metadata(path)?.permissions().mode();
                    let own = rustix::process::geteuid().as_raw();
                    check_server(stream.peer_cred()?.uid(), own, mode)?;
                    exchange(stream, request).await
                }
                #[cfg(not(unix))]
                ServerAddress::Socket(_) => Err(io::ErrorKind::Unsupported.into()),
            }
        };
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let answered = runtime.block_on(async { timeout(self.limit, exchange).await });
        let answered = answered.unwrap_or_else(|_| Err(io::Error::other("it does not answer")));
        answered.map_err(|error| {
            io::Error::new(error.kind(), format!("the server at `{}` did not decide: {error}", self.address))
        })
    }
}

/// Returns an error unless the server behind a socket belongs to this user or to root, and the socket is closed to others. The server of
/// another user could allow each call, and would get the token.
#[cfg(unix)]
fn check_server(owner: u32, own: u32, mode: u32) -> io::Result<()> {
    if ![own, 0].contains(&owner) {
        return Err(io::Error::other(format!("it belongs to the user {owner}, expected {own} or root")));
    }
    if mode & 0o002 != 0 {
        return Err(io::Error::other("its socket is open to other users; to close it: `chmod o-w`"));
    }
    Ok(())
}

/// A reply with the status 200.
struct Reply {
    text: String,
    /// The entry, the part and the modules that decided; `None` if no slot did.
    version: Option<[Option<HeaderValue>; 3]>,
}

/// Sends a request on a new connection.
async fn exchange(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    request: Request<Full<Bytes>>,
) -> io::Result<Reply> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
    // It ends with the runtime.
    tokio::spawn(connection);
    let reply = sender.send_request(request).await.map_err(io::Error::other)?;
    let status = reply.status();
    let version = VERSION.map(|name| reply.headers().get(name).cloned());
    let version = version[0].is_some().then_some(version);
    let body = Limited::new(reply.into_body(), MAX_ANSWER_BYTES).collect().await.map_err(io::Error::other)?;
    let text = String::from_utf8(body.to_bytes().into()).map_err(io::Error::other)?;
    match status {
        StatusCode::OK => Ok(Reply { text, version }),
        status => Err(io::Error::other(format!("{status}: {}", text.trim_end()))),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::{
        io::{BufRead, BufReader, Read, Write},
        net::TcpListener,
        thread,
    };

    use super::*;

    /// The slot `gate` of the server at this address.
    pub(in crate::hook) fn via(address: SocketAddr, limit: Duration) -> ViaArgs {
        ViaArgs {
            via: Some(ServerAddress::Port(address)),
            slot: Some("gate".into()),
            token_file: None,
            limit,
        }
    }

    /// Answers the next request with its path and these headers. Returns the path and the body of the request.
    fn answer(listener: &TcpListener, header: &str) -> (String, String) {
        let mut stream = BufReader::new(listener.accept().unwrap().0);
        let (mut path, mut length) = (String::new(), 0);
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).unwrap();
            match line.trim_end().split_once(' ') {
                Some(("POST", rest)) => path = rest.split(' ').next().unwrap().to_owned(),
                Some(("content-length:", number)) => length = number.parse().unwrap(),
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).unwrap();
        let reply = format!("HTTP/1.1 200 OK\r\n{header}content-length: {}\r\n\r\n{path}", path.len());
        stream.get_mut().write_all(reply.as_bytes()).unwrap();
        (path, String::from_utf8(body).unwrap())
    }

    #[test]
    fn one_version_of_a_slot_decides_on_the_work_of_a_session() {
        let [evaluate, refine] = ["/v1/slots/gate/evaluate", "/v1/slots/gate/refine"];
        for (versions, expected) in [
            (&["1", "1"][..], ""),
            // The slot changes during the first decision.
            (&["1", "2", "2", "2"], ""),
            (&["1", "2", "2", "3", "3", "4"], "changed during each decision"),
            // The canary and the active composition are of one entry.
            (&["1 active", "1 canary", "1 active", "1 active"], ""),
            (&[""], "no decision of a slot"),
        ] {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let args = via(listener.local_addr().unwrap(), LIMIT);
            let server = thread::spawn(move || {
                let headers = versions.iter().map(|version| match version.split_once(' ') {
                    Some((entry, by)) => format!("adjudicate-entry: {entry}\r\nadjudicate-by: {by}\r\n"),
                    None if version.is_empty() => String::new(),
                    None => format!("adjudicate-entry: {version}\r\n"),
                });
                headers.map(|header| answer(&listener, &header)).collect::<Vec<_>>()
            });
            let decided = args.decide(r#"{"run_id":"run-1"}"#, "s1", &Environment::of_process());
            match decided {
                Ok(answers) => assert_eq!((answers, expected), ((evaluate.into(), refine.into()), "")),
                Err(error) => {
                    let error = error.to_string();
                    assert!(!expected.is_empty() && error.contains(expected), "{versions:?} {error}");
                }
            }
            for (index, (path, body)) in server.join().unwrap().into_iter().enumerate() {
                let expected = if index % 2 == 0 { evaluate } else { refine };
                assert_eq!((path.as_str(), body.as_str()), (expected, r#"{"envelope":{"run_id":"s1"}}"#));
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_server_of_another_user_does_not_decide() {
        let check = |owner, mode| check_server(owner, 1000, mode).map_err(|error| error.to_string());
        for (owner, mode) in [(1000, 0o140_600), (0, 0o140_600), (0, 0o140_660)] {
            assert_eq!(check(owner, mode), Ok(()), "{owner} {mode:o}");
        }
        assert!(check(1001, 0o140_600).unwrap_err().contains("user 1001"));
        assert!(check(1000, 0o140_666).unwrap_err().contains("open to other users"));
    }

    #[test]
    fn an_address_is_one_of_this_machine() {
        for (text, expected) in [
            ("http://127.0.0.1:8420", "http://127.0.0.1:8420"),
            ("http://localhost:1/", "http://127.0.0.1:1"),
            ("http://[::1]:8420", "http://[::1]:8420"),
            ("unix:/run/adjudicate.sock", "unix:/run/adjudicate.sock"),
        ] {
            assert_eq!(text.parse::<ServerAddress>().unwrap().to_string(), expected);
        }
        for text in [
            "",
            "127.0.0.1:8420",
            "https://127.0.0.1:8420",
            "http://127.0.0.1",
            "http://192.0.2.1:8420",
            "http://policy.example:8420",
            "http://127.0.0.1:8420/gate",
            "http://127.0.0.1@192.0.2.1:80",
            "unix:adjudicate.sock",
            "unix:",
        ] {
            assert!(text.parse::<ServerAddress>().is_err(), "{text}");
        }
    }
}
