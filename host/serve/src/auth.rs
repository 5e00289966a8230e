//! Authorization: rejects requests of foreign web pages, and checks tokens.
//!
//! On loopback, while the store never had a token (or the server has no store), everything except administration is open,
//! because only programs on this machine can reach the port. A web page in a browser can reach it, too. So the server rejects
//! requests for another host name (DNS rebinding) and requests of pages (`Origin`, `Sec-Fetch-Site`), and bodies must have a
//! content type that a form cannot send. From the first token on, everything except health and the OpenAPI document needs a
//! token, even if that token was revoked since; on loopback, metrics need none. For each request without a token, the gate
//! checks whether the store changed since the tokens were read. A token that was revoked elsewhere is rejected after the
//! next reading of the tokens.

use std::net::IpAddr;

use adjudicate_core::Error;
use adjudicate_host::{Keyring, Store, TokenRole};
use arc_swap::ArcSwap;
use axum::http::{HeaderMap, HeaderValue, Request, StatusCode, Version, header};

use crate::{
    codes,
    failed_logins::{FailedLogins, WINDOW},
    reply::Refusal,
    routes::RequiredAccess,
    settings::{Exposure, ServerSettings},
};

/// The time in milliseconds for which the last tokens stay valid while the store cannot be read.
const MEMORY: i64 = 10_000;

#[derive(Debug)]
pub(crate) struct Auth {
    is_local: bool,
    exposure: Exposure,
    store: Option<Store>,
    tokens: ArcSwap<Tokens>,
    failed_logins: FailedLogins,
}

/// The client of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequestClient {
    /// The id of its token, if the request needed one.
    pub(crate) token: Option<String>,
    pub(crate) role: TokenRole,
}

/// The tokens at the last reading.
#[derive(Debug)]
struct Tokens {
    keyring: Keyring,
    /// The version of the store before the reading, if it is known.
    version: Option<i64>,
    /// The time of the reading, in milliseconds since 1970.
    read_at: i64,
}

impl Auth {
    pub(crate) fn new(settings: &ServerSettings, store: Option<Store>, keyring: Keyring, now: i64) -> Self {
        Self {
            is_local: settings.is_local(),
            exposure: settings.exposure.clone(),
            store,
            tokens: ArcSwap::from_pointee(Tokens { keyring, version: None, read_at: now }),
            failed_logins: FailedLogins::new(settings.limits.failures),
        }
    }

    /// Reads the tokens again, so that a token that another process revoked is rejected. If the store cannot be read, the tokens stay
    /// valid as long as [`is_readable`](Self::is_readable) returns true.
    pub(crate) fn refresh(&self, now: i64) {
        if let Some(store) = &self.store {
            let _ = self.read(store, now);
        }
    }

    fn read(&self, store: &Store, now: i64) -> Result<(), Error> {
        // The version is read before the tokens: a change in between shows as another version.
        let version = Some(store.version()?);
        self.tokens.store(Tokens { keyring: store.keyring()?, version, read_at: now }.into());
        Ok(())
    }

    /// Returns true if the store never had a token.
    fn is_without_tokens(&self, now: i64) -> Result<bool, Error> {
        let known = self.tokens.load();
        if let Some(store) = &self.store
            && known.keyring.is_empty()
            && Some(store.version()?) != known.version
        {
            self.read(store, now)?;
        }
        Ok(self.tokens.load().keyring.is_empty())
    }

    pub(crate) fn is_readable(&self, now: i64) -> bool {
        self.store.is_none() || now.saturating_sub(self.tokens.load().read_at) <= MEMORY
    }

    /// Rejects requests that a web page in a browser makes.
    pub(crate) fn reject_pages<B>(&self, request: &Request<B>) -> Result<(), Refusal> {
        self.check_host(&host(request)?)?;
        let mut origins = request.headers().get_all(header::ORIGIN).iter();
        if let Some(origin) = origins.next() {
            let is_known = self.exposure.origins.iter().any(|known| known.as_bytes() == origin.as_bytes());
            if !is_known || origins.next().is_some() {
                let message = "requests of web pages are not allowed; to allow this origin, start the server with `--origin`";
                return Err(Refusal::new(codes::FORBIDDEN, message));
            }
            return Ok(());
        }
        match request.headers().get("sec-fetch-site").map(HeaderValue::as_bytes) {
            None | Some(b"none" | b"same-origin") => Ok(()),
            Some(_) => {
                Err(Refusal::new(codes::FORBIDDEN, "requests of web pages from other sites are not allowed"))
            }
        }
    }

    fn check_host(&self, host: &str) -> Result<(), Refusal> {
        if !self.is_local && self.exposure.hosts.is_empty() {
            return Ok(());
        }
        let name = without_port(host);
        let address = name.trim_matches(['[', ']']).parse::<IpAddr>();
        let is_loopback = name == "localhost" || address.is_ok_and(|address| address.is_loopback());
        if (self.is_local && is_loopback)
            || self.exposure.hosts.iter().any(|known| known.eq_ignore_ascii_case(name))
        {
            return Ok(());
        }
        let message = "unknown name in the header `host`; to add a name, start the server with `--host`";
        Err(Refusal::new(codes::FORBIDDEN, message))
    }

    /// Checks the token of a request. A client without a token has the role `evaluate`, unless it may administer.
    pub(crate) fn admit(
        &self,
        access: RequiredAccess,
        headers: &HeaderMap,
        from: IpAddr,
        now: i64,
    ) -> Result<RequestClient, Refusal> {
        let without_token = |role| Ok(RequestClient { token: None, role });
        let needed = match access {
            RequiredAccess::Open => return without_token(TokenRole::Evaluate),
            RequiredAccess::Numbers if self.is_local => return without_token(TokenRole::Evaluate),
            RequiredAccess::Numbers | RequiredAccess::Evaluate => TokenRole::Evaluate,
            RequiredAccess::Admin => TokenRole::Admin,
        };
        let unreadable = || {
            let message = "the tokens cannot be read";
            Refusal::new(codes::STORE_FAULT, message).with_status(StatusCode::SERVICE_UNAVAILABLE)
        };
        // This counts without tokens, too: another process may have created the first one.
        if !self.is_readable(now) {
            return Err(unreadable());
        }
        if self.is_local && self.is_without_tokens(now).map_err(|_| unreadable())? {
            let role = if self.exposure.allow_local_admin { TokenRole::Admin } else { TokenRole::Evaluate };
            if role.covers(needed) {
                return without_token(role);
            }
            let message = "administration needs a token: `adjudicate token create --role admin`, or start the server with `--allow-local-admin`";
            return Err(self.fail(from, now, message));
        }
        let Some(presented) = bearer(headers) else {
            return Err(self.fail(from, now, "missing bearer token"));
        };
        match self.tokens.load().keyring.find(presented, now) {
            Some(token) if token.role.covers(needed) => {
                Ok(RequestClient { token: Some(token.id.clone()), role: token.role })
            }
            Some(token) => {
                let message = format!(
                    "expected a token of the role `{needed}`, found one of the role `{}`",
                    token.role
                );
                Err(Refusal::new(codes::FORBIDDEN, message))
            }
            None => Err(self.fail(from, now, "invalid bearer token")),
        }
    }

    fn fail(&self, from: IpAddr, now: i64, message: &'static str) -> Refusal {
        let refusal = Refusal::new(codes::UNAUTHORIZED, message);
        if !self.failed_logins.are_too_many(from, now) {
            return refusal;
        }
        refusal
            .with_status(StatusCode::TOO_MANY_REQUESTS)
            .with_header(header::RETRY_AFTER, HeaderValue::from(WINDOW))
            .closing()
    }
}

/// Returns the name of the server in the request. HTTP/1.1 requires it, and exactly once.
fn host<B>(request: &Request<B>) -> Result<String, Refusal> {
    let refuse = |message| Err(Refusal::new(codes::WRONG_USAGE, message));
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let (first, second) = (hosts.next(), hosts.next());
    if second.is_some() {
        return refuse("more than one header `host`");
    }
    let authority = request.uri().authority().map(|authority| authority.as_str());
    let host = first.map(HeaderValue::to_str).transpose();
    match (authority, host) {
        // HTTP/2 has `:authority`; requests to a proxy in HTTP/1.1 have the authority in the target.
        (Some(authority), Ok(host)) if host.is_none_or(|host| host.eq_ignore_ascii_case(authority)) => {
            Ok(authority.to_ascii_lowercase())
        }
        (None, Ok(Some(host))) => Ok(host.to_ascii_lowercase()),
        (None, Ok(None)) if request.version() < Version::HTTP_11 => Ok("localhost".to_owned()),
        (None, Ok(None)) => refuse("missing header `host`"),
        _ => refuse("the header `host` is invalid, or differs from the request target"),
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => host,
    }
}

/// Returns the token of `authorization: Bearer ...`, if there is exactly one such header.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut all = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(only), None) = (all.next(), all.next()) else { return None };
    let (scheme, token) = only.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim_matches(' '))
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn auth(listen: &str, exposure: Exposure) -> Auth {
        let settings =
            ServerSettings { listen: listen.parse().unwrap(), exposure, ..ServerSettings::default() };
        Auth::new(&settings, None, Keyring::default(), 0)
    }

    fn refused(auth: &Auth, target: &str, headers: &[(&str, &str)]) -> Option<String> {
        let mut request = Request::builder().uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        auth.reject_pages(&request.body(()).unwrap()).err().map(|refusal| refusal.code().to_owned())
    }

    #[test]
    fn requests_of_web_pages_are_rejected() {
        let local = auth("127.0.0.1:0", Exposure::default());
        let of_host = |host| refused(&local, "/", &[("host", host)]);
        for host in ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "127.9.9.9", "[::1]", "[::1]:80"] {
            assert_eq!(of_host(host), None, "{host}");
        }
        // Another name for this address: DNS rebinding.
        for host in ["evil.example", "localhost.evil.example", "192.168.0.1", "[2001:db8::1]:80", "", "a:b:c"]
        {
            assert_eq!(of_host(host).as_deref(), Some("forbidden"), "{host}");
        }
        let localhost = ("host", "localhost");
        for field in [
            ("origin", "http://localhost"),
            ("origin", "null"),
            ("sec-fetch-site", "same-site"),
            ("sec-fetch-site", "cross-site"),
        ] {
            assert_eq!(refused(&local, "/", &[localhost, field]).as_deref(), Some("forbidden"), "{field:?}");
        }
        for (target, headers) in [
            ("/", &[][..]),
            ("/", &[localhost, localhost]),
            ("http://localhost/", &[("host", "evil.example")]),
        ] {
            assert_eq!(refused(&local, target, headers).as_deref(), Some("wrong_usage"), "{headers:?}");
        }
        assert_eq!(refused(&local, "http://localhost/", &[localhost]), None);
        let exposure = Exposure {
            origins: vec!["https://a.example".to_owned()],
            hosts: vec!["A.example".to_owned()],
            ..Exposure::default()
        };
        let outside = auth("0.0.0.0:0", exposure);
        let of_page = |host, origin| refused(&outside, "/", &[("host", host), ("origin", origin)]);
        assert_eq!(of_page("a.example:443", "https://a.example"), None);
        for other in ["http://a.example", "https://a.example:8443", "https://a.example.evil", "null", ""] {
            assert_eq!(of_page("a.example", other).as_deref(), Some("forbidden"), "{other}");
        }
        assert_eq!(of_page("localhost", "https://a.example").as_deref(), Some("forbidden"));
        assert_eq!(refused(&auth("0.0.0.0:0", Exposure::default()), "/", &[("host", "a.example")]), None);
    }

    #[test]
    fn without_tokens_loopback_is_open_except_for_administration() {
        let admit = |auth: &Auth, access| {
            auth.admit(access, &HeaderMap::new(), IpAddr::from([127, 0, 0, 1]), 0)
                .map(|client| (client.token, client.role))
                .map_err(|refusal| refusal.status)
        };
        let local = auth("127.0.0.1:0", Exposure::default());
        assert_eq!(admit(&local, RequiredAccess::Evaluate), Ok((None, TokenRole::Evaluate)));
        assert_eq!(admit(&local, RequiredAccess::Admin), Err(StatusCode::UNAUTHORIZED));
        let open = auth("127.0.0.1:0", Exposure { allow_local_admin: true, ..Exposure::default() });
        for access in [RequiredAccess::Evaluate, RequiredAccess::Admin] {
            assert_eq!(admit(&open, access), Ok((None, TokenRole::Admin)), "{access:?}");
        }
        let outside = auth("0.0.0.0:0", Exposure::default());
        assert_eq!(admit(&outside, RequiredAccess::Open), Ok((None, TokenRole::Evaluate)));
        for access in [RequiredAccess::Evaluate, RequiredAccess::Numbers, RequiredAccess::Admin] {
            assert_eq!(admit(&outside, access), Err(StatusCode::UNAUTHORIZED), "{access:?}");
        }
    }

    #[test]
    fn an_unreadable_store_closes_a_server_without_tokens() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(&directory.path().join("store")).unwrap();
        let auth = Auth::new(&ServerSettings::default(), Some(store), Keyring::default(), 0);
        let admit = |now| {
            let from = IpAddr::from([127, 0, 0, 1]);
            let client = auth.admit(RequiredAccess::Evaluate, &HeaderMap::new(), from, now);
            client.map(|client| client.token).map_err(|refusal| refusal.status)
        };
        assert_eq!(admit(MEMORY), Ok(None));
        // The first request read the tokens.
        assert_eq!(admit(2 * MEMORY + 1), Err(StatusCode::SERVICE_UNAVAILABLE));
    }
}
