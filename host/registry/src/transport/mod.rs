//! Requests to a registry, and answers up to a limit.
//!
//! Owns limits, redirects and the errors of connections. Credentials come with each request, and go only to the registry's own
//! address, never to the target of a redirect.

mod client;

use adjudicate_trust::codes;
use std::{error::Error as _, path::Path};

use adjudicate_core::{Error, ErrorCode};
use reqwest::{
    Client, Method, Response, StatusCode, Url,
    header::{AUTHORIZATION, HeaderValue, LOCATION},
};

use client::client;

/// The number of redirects that a request follows.
const MAX_REDIRECTS: usize = 5;

/// The direction of the transfer, which decides the code of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Pull,
    Push,
}

impl Direction {
    /// Returns the code for a failed transfer.
    pub(crate) const fn code(self) -> ErrorCode {
        match self {
            Self::Pull => codes::UNREADABLE_INPUT,
            Self::Push => codes::UNWRITABLE_OUTPUT,
        }
    }

    /// Returns the error for a failed transfer.
    pub(crate) fn fault(self, message: impl Into<String>) -> Error {
        Error::new(self.code(), message.into())
    }
}

/// A request to a registry, without its credentials.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) url: Url,
    /// The headers, without the credentials.
    pub(crate) head: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) const fn new(method: Method, url: Url) -> Self {
        Self { method, url, head: Vec::new(), body: Vec::new() }
    }

    pub(crate) fn with_header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.head.push((name, value.into()));
        self
    }

    pub(crate) fn with_body(mut self, body: Vec<u8>) -> Self {
        self.body = body;
        self
    }
}

/// The connection to one registry.
#[derive(Debug)]
pub(crate) struct Transport {
    client: Client,
    /// The scheme, host and port of the registry.
    base: Url,
    pub(crate) direction: Direction,
}

impl Transport {
    /// Returns a transport to the registry at a host. If `authorities` is given, no other authorities are trusted.
    pub(crate) fn new(
        host: &str,
        plain_http: bool,
        authorities: Option<&Path>,
        direction: Direction,
    ) -> Result<Self, Error> {
        let scheme = if plain_http { "http" } else { "https" };
        let base = Url::parse(&format!("{scheme}://{host}/")).map_err(|error| {
            Error::caused_by(codes::WRONG_USAGE, format!("invalid host of a registry: `{host}`"), error)
        })?;
        Ok(Self { client: client(plain_http, authorities, direction)?, base, direction })
    }

    /// Returns the URL of a path of the registry.
    pub(crate) fn url(&self, path: &str) -> Result<Url, Error> {
        self.base
            .join(path)
            .map_err(|error| Error::caused_by(self.direction.code(), format!("invalid path `{path}`"), error))
    }

    /// Returns the URL that an answer redirects to.
    pub(crate) fn target(&self, response: &Response) -> Result<Url, Error> {
        let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        let location =
            location.ok_or_else(|| self.direction.fault("the registry sends a redirect without a target"))?;
        let url = response.url().join(location);
        let url = url.map_err(|error| {
            self.direction.fault("the registry sends a redirect to an invalid URL").with_source(error)
        })?;
        self.check_url(&url)?;
        Ok(url)
    }

    /// Rejects a URL without TLS if the registry has TLS, and a URL with credentials.
    pub(crate) fn check_url(&self, url: &Url) -> Result<(), Error> {
        if !url.username().is_empty() || url.password().is_some() {
            return Err(self
                .direction
                .fault("the registry sends a redirect to a URL with a name or a password"));
        }
        if url.scheme() == "https" || (url.scheme() == "http" && self.base.scheme() == "http") {
            return Ok(());
        }
        let message = format!("the registry sends a redirect to `{}`, which has no TLS", origin(url));
        Err(self.direction.fault(message))
    }

    /// Returns true if the URL is the registry's own. Only such URLs get the credentials.
    pub(crate) fn is_own(&self, url: &Url) -> bool {
        url.origin() == self.base.origin()
    }

    /// Sends a request. Follows the redirects of requests that only read.
    pub(crate) async fn send(
        &self,
        request: &Request,
        credentials: Option<&HeaderValue>,
    ) -> Result<Response, Error> {
        let is_reading = matches!(request.method, Method::GET | Method::HEAD);
        let mut url = request.url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let credentials = credentials.filter(|_| self.is_own(&url));
            let response = self.send_once(request, url, credentials).await?;
            if !response.status().is_redirection() {
                return Ok(response);
            }
            if !is_reading {
                return Err(self.direction.fault("the registry sends an unexpected redirect for an upload"));
            }
            url = self.target(&response)?;
        }
        Err(self.direction.fault(format!("the registry sends more than {MAX_REDIRECTS} redirects")))
    }

    /// Sends a request with the credentials, and follows no redirects.
    pub(crate) async fn send_once(
        &self,
        request: &Request,
        url: Url,
        credentials: Option<&HeaderValue>,
    ) -> Result<Response, Error> {
        let host = origin(&url);
        let mut builder = self.client.request(request.method.clone(), url);
        for (name, value) in &request.head {
            builder = builder.header(*name, value);
        }
        if let Some(credentials) = credentials {
            builder = builder.header(AUTHORIZATION, credentials);
        }
        if !matches!(request.method, Method::GET | Method::HEAD) {
            builder = builder.body(request.body.clone());
        }
        let sent = builder.send().await;
        sent.map_err(|error| {
            let why = cause(&error);
            let hint = if is_plain(&why) { "; for a registry without TLS, pass `--plain-http`" } else { "" };
            let message = format!("cannot connect to `{host}`: {why}{hint}");
            self.direction.fault(message).with_source(error.without_url())
        })
    }

    /// Reads the body of an answer; `None` if it is over the limit.
    pub(crate) async fn read(&self, mut response: Response, most: usize) -> Result<Option<Vec<u8>>, Error> {
        let fits = |declared| usize::try_from(declared).is_ok_and(|declared| declared <= most);
        if !response.content_length().is_none_or(fits) {
            return Ok(None);
        }
        let mut body = Vec::new();
        let broken = |error| {
            let message = format!("the answer ended early: {}", cause(&error));
            self.direction.fault(message).with_source(error.without_url())
        };
        while let Some(piece) = response.chunk().await.map_err(broken)? {
            if body.len() + piece.len() > most {
                return Ok(None);
            }
            body.extend_from_slice(&piece);
        }
        Ok(Some(body))
    }

    /// Returns the error for a refusal.
    pub(crate) fn refusal(&self, status: StatusCode, what: &str, why: &str) -> Error {
        let code = match status {
            StatusCode::UNAUTHORIZED => codes::UNAUTHORIZED,
            StatusCode::FORBIDDEN => codes::FORBIDDEN,
            StatusCode::NOT_FOUND => codes::NOT_FOUND,
            StatusCode::PAYLOAD_TOO_LARGE => codes::LIMIT_EXCEEDED,
            _ => self.direction.code(),
        };
        let why = if why.is_empty() { String::new() } else { format!(": {why}") };
        Error::new(code, format!("{what}: the registry answers {}{why}", status.as_u16()))
    }
}

/// Returns the scheme, host and port of a URL. The rest may be a secret, because signed URLs give access.
fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// Returns the cause of an error, without the URL.
pub(crate) fn cause(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "timed out".to_owned();
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    match error.source() {
        Some(_) => crate::layout::short(&cause.to_string()),
        None => "malformed request or answer".to_owned(),
    }
}

/// Returns true if the other side answered the TLS handshake with something else, for example plain HTTP.
fn is_plain(why: &str) -> bool {
    why.contains("InvalidContentType")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registry_with_tls_cannot_redirect_to_plain_http() {
        let directory = tempfile::tempdir().unwrap();
        let authority = directory.path().join("own.pem");
        let made = rcgen::generate_simple_self_signed(["a.example".to_owned()]).unwrap();
        std::fs::write(&authority, made.cert.pem()).unwrap();
        let transport = |plain: bool| {
            let authority = (!plain).then_some(authority.as_path());
            Transport::new("a.example:5000", plain, authority, Direction::Pull).unwrap()
        };
        let url = |text: &str| Url::parse(text).unwrap();
        let secured = transport(false);
        secured.check_url(&url("https://b.example/x")).unwrap();
        for text in [
            "http://a.example:5000/x",
            "http://b.example/x",
            "https://u@b.example/x",
            "file:///x",
            "ftp://b.example/x",
        ] {
            let error = secured.check_url(&url(text)).unwrap_err();
            assert_eq!(error.code(), codes::UNREADABLE_INPUT, "{text}");
        }
        let plain = transport(true);
        plain.check_url(&url("http://b.example/x")).unwrap();
        plain.check_url(&url("https://b.example/x")).unwrap();
        assert!(plain.check_url(&url("file:///x")).is_err());
        assert!(plain.is_own(&url("http://a.example:5000/y")));
        for text in
            ["http://a.example/", "https://a.example:5000/", "http://b.example:5000/", "http://a.example:50/"]
        {
            assert!(!plain.is_own(&url(text)), "{text}");
        }
    }

    #[test]
    fn a_refused_connection_is_the_source_of_the_error_without_its_url() {
        let unused = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let transport = Transport::new(&unused.to_string(), true, None, Direction::Pull).unwrap();
        let request = Request::new(Method::GET, transport.url("x?sig=s").unwrap());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let error = runtime.block_on(transport.send(&request, None)).unwrap_err();
        let source = error.source().and_then(|source| source.downcast_ref::<reqwest::Error>()).unwrap();
        assert!(source.is_connect());
        assert_eq!(source.url(), None);
        assert!(!format!("{error:?}").contains("sig=s"), "{error:?}");
    }

    #[test]
    fn errors_contain_no_secret_part_of_a_url() {
        assert_eq!(origin(&Url::parse("https://u:p@a.example/x?sig=s#f").unwrap()), "https://a.example");
    }
}
