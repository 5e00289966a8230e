//! Requests to a registry, and answers of which never more is read than they may have.
//!
//! Owns limits, redirects, and what failing means. Has no credentials; those that it is handed with a request go to the
//! registry's own address alone, wherever that points.

mod client;

use adjudicate_sandbox::codes;
use std::{error::Error as _, path::Path};

use adjudicate_core::{Error, ErrorCode};
use reqwest::{
    Client, Method, Response, StatusCode, Url,
    header::{AUTHORIZATION, HeaderValue, LOCATION},
};

use client::client;

/// How often one answer may point elsewhere.
const HOPS: usize = 5;

/// What is done with the registry, which is what an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aim {
    Pull,
    Push,
}

impl Aim {
    /// The code for what fails on the way.
    pub(crate) const fn code(self) -> ErrorCode {
        match self {
            Self::Pull => codes::UNREADABLE_INPUT,
            Self::Push => codes::UNWRITABLE_OUTPUT,
        }
    }

    /// An error for what fails on the way.
    pub(crate) fn fault(self, message: impl Into<String>) -> Error {
        Error::new(self.code(), message.into())
    }
}

/// A request: what is asked for, and what goes with it.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) url: Url,
    /// Members of the head, besides the credentials.
    pub(crate) head: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) const fn new(method: Method, url: Url) -> Self {
        Self { method, url, head: Vec::new(), body: Vec::new() }
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.head.push((name, value.into()));
        self
    }

    pub(crate) fn carrying(mut self, body: Vec<u8>) -> Self {
        self.body = body;
        self
    }
}

/// The way to one registry.
#[derive(Debug)]
pub(crate) struct Transport {
    client: Client,
    /// Where the registry answers: its scheme, host and port.
    base: Url,
    pub(crate) aim: Aim,
}

impl Transport {
    /// The way to the registry at a host; `authorities` are the only ones to vouch for anybody, where they are named.
    pub(crate) fn new(
        host: &str,
        plain_http: bool,
        authorities: Option<&Path>,
        aim: Aim,
    ) -> Result<Self, Error> {
        let scheme = if plain_http { "http" } else { "https" };
        let base = Url::parse(&format!("{scheme}://{host}/"))
            .map_err(|error| Error::new(codes::WRONG_USAGE, format!("`{host}` is no registry: {error}")))?;
        Ok(Self { client: client(plain_http, authorities, aim)?, base, aim })
    }

    /// An address of the registry.
    pub(crate) fn url(&self, path: &str) -> Result<Url, Error> {
        self.base.join(path).map_err(|error| self.aim.fault(format!("`{path}` is no address: {error}")))
    }

    /// The address that an answer points to, from where it was given.
    pub(crate) fn target(&self, response: &Response) -> Result<Url, Error> {
        let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        let location = location.ok_or_else(|| self.aim.fault("the registry points nowhere"))?;
        let url = response.url().join(location);
        let url = url.map_err(|_| self.aim.fault("the registry points to what is no address"))?;
        self.admit(&url)?;
        Ok(url)
    }

    /// Refuses an address that is not reached as safely as the registry itself, or brings credentials of its own.
    pub(crate) fn admit(&self, url: &Url) -> Result<(), Error> {
        if !url.username().is_empty() || url.password().is_some() {
            return Err(self.aim.fault("the registry points to an address with a name or a password in it"));
        }
        if url.scheme() == "https" || (url.scheme() == "http" && self.base.scheme() == "http") {
            return Ok(());
        }
        let message = format!("the registry points to `{}`, which is not reached by TLS", origin(url));
        Err(self.aim.fault(message))
    }

    /// Whether an address is the registry's own, to which alone its credentials go.
    pub(crate) fn is_own(&self, url: &Url) -> bool {
        url.origin() == self.base.origin()
    }

    /// Sends a request. What only reads is followed where it points.
    pub(crate) async fn send(
        &self,
        request: &Request,
        credentials: Option<&HeaderValue>,
    ) -> Result<Response, Error> {
        let is_reading = matches!(request.method, Method::GET | Method::HEAD);
        let mut url = request.url.clone();
        for _ in 0..=HOPS {
            let credentials = credentials.filter(|_| self.is_own(&url));
            let response = self.send_once(request, url, credentials).await?;
            if !response.status().is_redirection() {
                return Ok(response);
            }
            if !is_reading {
                return Err(self.aim.fault("the registry points elsewhere instead of taking what is sent"));
            }
            url = self.target(&response)?;
        }
        Err(self.aim.fault(format!("the registry points elsewhere more than {HOPS} times")))
    }

    /// Sends a request with the credentials, and takes the answer as it is.
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
            let why = told(&error);
            let hint = if is_plain(&why) { "; `--plain-http` is for one without TLS" } else { "" };
            self.aim.fault(format!("`{host}` cannot be reached: {why}{hint}"))
        })
    }

    /// Reads an answer's body; `None` if it has more bytes than it may have.
    pub(crate) async fn read(&self, mut response: Response, most: usize) -> Result<Option<Vec<u8>>, Error> {
        let is_said = |said| usize::try_from(said).is_ok_and(|said| said <= most);
        if !response.content_length().is_none_or(is_said) {
            return Ok(None);
        }
        let mut body = Vec::new();
        let broken = |error| self.aim.fault(format!("the answer breaks off: {}", told(&error)));
        while let Some(piece) = response.chunk().await.map_err(broken)? {
            if body.len() + piece.len() > most {
                return Ok(None);
            }
            body.extend_from_slice(&piece);
        }
        Ok(Some(body))
    }

    /// The error for an answer that is a refusal.
    pub(crate) fn refusal(&self, status: StatusCode, what: &str, why: &str) -> Error {
        let code = match status {
            StatusCode::UNAUTHORIZED => codes::UNAUTHORIZED,
            StatusCode::FORBIDDEN => codes::FORBIDDEN,
            StatusCode::NOT_FOUND => codes::NOT_FOUND,
            StatusCode::PAYLOAD_TOO_LARGE => codes::LIMIT_EXCEEDED,
            _ => self.aim.code(),
        };
        let why = if why.is_empty() { String::new() } else { format!(": {why}") };
        Error::new(code, format!("{what}: the registry answers {}{why}", status.as_u16()))
    }
}

/// Scheme, host and port of an address. The rest may be a secret: addresses that are signed are passwords.
fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// What went wrong, down to the cause, and without the address.
pub(crate) fn told(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "it takes too long".to_owned();
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    match error.source() {
        Some(_) => crate::layout::short(&cause.to_string()),
        None => "the request or the answer is malformed".to_owned(),
    }
}

/// Whether what was to be a greeting in TLS is the beginning of something else.
fn is_plain(why: &str) -> bool {
    why.contains("InvalidContentType")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_reached_by_tls_leads_nowhere_else() {
        let directory = tempfile::tempdir().unwrap();
        let authority = directory.path().join("own.pem");
        let made = rcgen::generate_simple_self_signed(["a.example".to_owned()]).unwrap();
        std::fs::write(&authority, made.cert.pem()).unwrap();
        let transport = |plain: bool| {
            let authority = (!plain).then_some(authority.as_path());
            Transport::new("a.example:5000", plain, authority, Aim::Pull).unwrap()
        };
        let url = |text: &str| Url::parse(text).unwrap();
        let secured = transport(false);
        secured.admit(&url("https://b.example/x")).unwrap();
        for text in [
            "http://a.example:5000/x",
            "http://b.example/x",
            "https://u@b.example/x",
            "file:///x",
            "ftp://b.example/x",
        ] {
            let error = secured.admit(&url(text)).unwrap_err();
            assert_eq!(error.code(), codes::UNREADABLE_INPUT, "{text}");
        }
        let plain = transport(true);
        plain.admit(&url("http://b.example/x")).unwrap();
        plain.admit(&url("https://b.example/x")).unwrap();
        assert!(plain.admit(&url("file:///x")).is_err());
        assert!(plain.is_own(&url("http://a.example:5000/y")));
        for text in
            ["http://a.example/", "https://a.example:5000/", "http://b.example:5000/", "http://a.example:50/"]
        {
            assert!(!plain.is_own(&url(text)), "{text}");
        }
    }

    #[test]
    fn what_is_secret_in_an_address_is_not_told() {
        assert_eq!(origin(&Url::parse("https://u:p@a.example/x?sig=s#f").unwrap()), "https://a.example");
    }
}
