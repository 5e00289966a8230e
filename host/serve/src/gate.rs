//! Authorization: refuses requests of web pages from elsewhere, and checks tokens.
//!
//! On loopback, while the store never had a token (or the server has no store), everything except administration is open,
//! because only programs on this machine can reach the port. A web page in a browser can reach it, too. So the server refuses
//! requests for another host name (DNS rebinding) and requests of pages (`Origin`, `Sec-Fetch-Site`), and bodies must have a
//! content type that a form cannot send. From the first token on, everything except health and the OpenAPI document needs a
//! token, even if that token was revoked since; on loopback, metrics need none. For each request without a token, the gate
//! checks whether the store changed since the tokens were read. A token that was revoked elsewhere is refused after the
//! next reading of the tokens.

use std::{
    net::IpAddr,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicI64, Ordering},
    },
};

use adjudicate_core::Error;
use adjudicate_host::{Keyring, Role, Store};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Version, header, request::Parts};

use crate::{
    codes,
    guesses::{Guesses, WINDOW},
    reply::Refusal,
    routes::Access,
    settings::Settings,
};

/// How long the tokens that were read last may be believed while the store cannot be read, in milliseconds.
const MEMORY: i64 = 10_000;

#[derive(Debug)]
pub(crate) struct Gate {
    is_local: bool,
    allow_local_admin: bool,
    hosts: Vec<String>,
    origins: Vec<String>,
    store: Option<Store>,
    tokens: RwLock<Tokens>,
    /// When the tokens were read, in milliseconds since 1970.
    read_at: AtomicI64,
    guesses: Guesses,
}

/// The tokens, as they were read.
#[derive(Clone, Debug)]
struct Tokens {
    keyring: Arc<Keyring>,
    /// The version of the store before they were read, where it is known.
    version: Option<i64>,
}

impl Gate {
    pub(crate) fn new(settings: &Settings, store: Option<Store>, keyring: Keyring, now: i64) -> Self {
        Self {
            is_local: settings.is_local(),
            allow_local_admin: settings.exposure.allow_local_admin,
            hosts: settings.exposure.hosts.iter().map(|host| host.to_ascii_lowercase()).collect(),
            origins: settings.exposure.origins.clone(),
            store,
            tokens: RwLock::new(Tokens { keyring: Arc::new(keyring), version: None }),
            read_at: AtomicI64::new(now),
            guesses: Guesses::new(settings.limits.failures),
        }
    }

    /// Reads the tokens again, so that a token that was revoked elsewhere is refused here, too. What cannot be read leaves the
    /// tokens as they are, for as long as [`is_readable`](Self::is_readable) has it.
    pub(crate) fn refresh(&self, now: i64) {
        if let Some(store) = &self.store {
            let _ = self.read(store, now);
        }
    }

    fn read(&self, store: &Store, now: i64) -> Result<(), Error> {
        // Before the tokens: a change in between shows as another version.
        let version = Some(store.version()?);
        let tokens = Tokens { keyring: Arc::new(store.keyring()?), version };
        *self.tokens.write().unwrap_or_else(PoisonError::into_inner) = tokens;
        self.read_at.store(now, Ordering::Relaxed);
        Ok(())
    }

    /// Returns whether there never was a token, up to this moment.
    fn is_without_tokens(&self, now: i64) -> Result<bool, Error> {
        let known = self.tokens();
        if let Some(store) = &self.store
            && known.keyring.is_empty()
            && Some(store.version()?) != known.version
        {
            self.read(store, now)?;
        }
        Ok(self.tokens().keyring.is_empty())
    }

    pub(crate) fn is_readable(&self, now: i64) -> bool {
        self.store.is_none() || now.saturating_sub(self.read_at.load(Ordering::Relaxed)) <= MEMORY
    }

    fn tokens(&self) -> Tokens {
        self.tokens.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Refuses requests that a page in somebody's browser makes.
    pub(crate) fn refuse_pages(&self, head: &Parts) -> Result<(), Refusal> {
        self.check_host(head)?;
        let mut origins = head.headers.get_all(header::ORIGIN).iter();
        if let Some(origin) = origins.next() {
            let is_known = self.origins.iter().any(|known| known.as_bytes() == origin.as_bytes());
            if !is_known || origins.next().is_some() {
                let message = "requests of pages are refused; `--origin` names pages that may ask";
                return Err(Refusal::new(codes::FORBIDDEN, message));
            }
            return Ok(());
        }
        let site = head.headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
        match site {
            None | Some(b"none" | b"same-origin") => Ok(()),
            Some(_) => Err(Refusal::new(codes::FORBIDDEN, "requests of pages elsewhere are refused")),
        }
    }

    fn check_host(&self, head: &Parts) -> Result<(), Refusal> {
        let named = host(head)?;
        if !self.is_local && self.hosts.is_empty() {
            return Ok(());
        }
        let name = without_port(&named);
        let is_ours = self.is_local
            && (name == "localhost"
                || name
                    .trim_matches(['[', ']'])
                    .parse::<IpAddr>()
                    .is_ok_and(|address| address.is_loopback()));
        if is_ours || self.hosts.iter().any(|known| *known == name) {
            return Ok(());
        }
        let message = "the server does not go by the name in `host`; `--host` gives it further names";
        Err(Refusal::new(codes::FORBIDDEN, message))
    }

    /// Who asks, where it matters: the id of the token.
    pub(crate) fn admit(
        &self,
        access: Access,
        headers: &HeaderMap,
        from: IpAddr,
        now: i64,
    ) -> Result<Option<String>, Refusal> {
        let needed = match access {
            Access::Open => return Ok(None),
            Access::Numbers if self.is_local => return Ok(None),
            Access::Numbers | Access::Evaluate => Role::Evaluate,
            Access::Admin => Role::Admin,
        };
        let unreadable = || {
            Refusal::new(codes::STORE_FAULT, "the tokens cannot be read")
                .with_status(StatusCode::SERVICE_UNAVAILABLE)
        };
        // Also where there was no token: whether there still is none cannot be told.
        if !self.is_readable(now) {
            return Err(unreadable());
        }
        if self.is_local && self.is_without_tokens(now).map_err(|_| unreadable())? {
            if needed == Role::Evaluate || self.allow_local_admin {
                return Ok(None);
            }
            let message = "administration needs a token: `adjudicate token create --role admin`, or `--allow-local-admin`";
            return Err(self.fail(from, now, message));
        }
        let Some(presented) = bearer(headers) else {
            return Err(self.fail(from, now, "the request has no bearer token"));
        };
        let Tokens { keyring, .. } = self.tokens();
        match keyring.find(presented, now) {
            Some(token) if token.role.covers(needed) => Ok(Some(token.id.clone())),
            Some(token) => {
                let message = format!(
                    "the token is for `{}`, and this needs `{}`",
                    token.role.as_str(),
                    needed.as_str()
                );
                Err(Refusal::new(codes::FORBIDDEN, message))
            }
            None => Err(self.fail(from, now, "the bearer token is not valid")),
        }
    }

    fn fail(&self, from: IpAddr, now: i64, message: &'static str) -> Refusal {
        let refusal = Refusal::new(codes::UNAUTHORIZED, message);
        if !self.guesses.are_too_many(from, now) {
            return refusal;
        }
        refusal
            .with_status(StatusCode::TOO_MANY_REQUESTS)
            .with(header::RETRY_AFTER, HeaderValue::from(WINDOW))
            .closing()
    }
}

/// What the request calls the server. HTTP/1.1 must say it once.
fn host(head: &Parts) -> Result<String, Refusal> {
    let refuse = |message| Err(Refusal::new(codes::WRONG_USAGE, message));
    let mut hosts = head.headers.get_all(header::HOST).iter();
    let (first, second) = (hosts.next(), hosts.next());
    if second.is_some() {
        return refuse("the request has more than one `host`");
    }
    let authority = head.uri.authority().map(|authority| authority.as_str());
    let host = first.map(HeaderValue::to_str).transpose();
    match (authority, host) {
        // In HTTP/2 this is `:authority`; in HTTP/1.1 a proxy would write it so.
        (Some(authority), Ok(host)) if host.is_none_or(|host| host.eq_ignore_ascii_case(authority)) => {
            Ok(authority.to_ascii_lowercase())
        }
        (None, Ok(Some(host))) => Ok(host.to_ascii_lowercase()),
        (None, Ok(None)) if head.version < Version::HTTP_11 => Ok("localhost".to_owned()),
        (None, Ok(None)) => refuse("the request has no `host`"),
        _ => refuse("the request's `host` cannot be read, or is not that of its target"),
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => host,
    }
}

/// The token of `authorization: Bearer ...`, if there is exactly one such header.
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
    use crate::settings::Exposure;

    fn gate(listen: &str, exposure: Exposure) -> Gate {
        let settings = Settings { listen: listen.parse().unwrap(), exposure, ..Settings::default() };
        Gate::new(&settings, None, Keyring::default(), 0)
    }

    fn refused(gate: &Gate, headers: &[(&str, &str)]) -> Option<String> {
        let mut request = Request::builder().uri("/v1/evaluate");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (head, ()) = request.body(()).unwrap().into_parts();
        gate.refuse_pages(&head).err().map(|refusal| refusal.code().to_owned())
    }

    #[test]
    fn pages_are_refused() {
        let local = gate("127.0.0.1:0", Exposure::default());
        for host in ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "127.9.9.9", "[::1]", "[::1]:80"] {
            assert_eq!(refused(&local, &[("host", host)]), None, "{host}");
        }
        for host in ["evil.example", "localhost.evil.example", "192.168.0.1", "[2001:db8::1]:80", "", "a:b:c"]
        {
            assert_eq!(refused(&local, &[("host", host)]).as_deref(), Some("forbidden"), "{host}");
        }
        assert_eq!(refused(&local, &[]).as_deref(), Some("wrong_usage"));
        assert_eq!(
            refused(&local, &[("host", "localhost"), ("host", "localhost")]).as_deref(),
            Some("wrong_usage")
        );
        for (name, value) in [
            ("origin", "http://localhost"),
            ("origin", "null"),
            ("sec-fetch-site", "same-site"),
            ("sec-fetch-site", "cross-site"),
        ] {
            assert_eq!(
                refused(&local, &[("host", "localhost"), (name, value)]).as_deref(),
                Some("forbidden"),
                "{value}"
            );
        }
        let said = Exposure {
            origins: vec!["https://a.example".to_owned()],
            hosts: vec!["A.example".to_owned()],
            ..Exposure::default()
        };
        let outside = gate("0.0.0.0:0", said);
        assert_eq!(refused(&outside, &[("host", "a.example:443"), ("origin", "https://a.example")]), None);
        assert_eq!(refused(&outside, &[("host", "localhost")]).as_deref(), Some("forbidden"));
        assert_eq!(
            refused(&outside, &[("host", "a.example"), ("origin", "https://b.example")]).as_deref(),
            Some("forbidden")
        );
        assert_eq!(refused(&gate("0.0.0.0:0", Exposure::default()), &[("host", "anything.example")]), None);
    }

    #[test]
    fn without_tokens_loopback_is_open_but_for_administration() {
        let admit = |gate: &Gate, access| {
            gate.admit(access, &HeaderMap::new(), IpAddr::from([127, 0, 0, 1]), 0)
                .map_err(|refusal| refusal.status)
        };
        let local = gate("127.0.0.1:0", Exposure::default());
        assert_eq!(admit(&local, Access::Evaluate), Ok(None));
        assert_eq!(admit(&local, Access::Admin), Err(StatusCode::UNAUTHORIZED));
        let said = gate("127.0.0.1:0", Exposure { allow_local_admin: true, ..Exposure::default() });
        assert_eq!(admit(&said, Access::Admin), Ok(None));
        let outside = gate("0.0.0.0:0", Exposure::default());
        assert_eq!(admit(&outside, Access::Open), Ok(None));
        for access in [Access::Evaluate, Access::Numbers, Access::Admin] {
            assert_eq!(admit(&outside, access), Err(StatusCode::UNAUTHORIZED), "{access:?}");
        }
    }

    #[test]
    fn whether_there_is_still_no_token_is_not_believed_for_ever() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(&directory.path().join("store")).unwrap();
        let gate = Gate::new(&Settings::default(), Some(store), Keyring::default(), 0);
        let admit = |now| {
            let from = IpAddr::from([127, 0, 0, 1]);
            gate.admit(Access::Evaluate, &HeaderMap::new(), from, now).map_err(|refusal| refusal.status)
        };
        assert_eq!(admit(MEMORY), Ok(None));
        // The tokens were read at the first request.
        assert_eq!(admit(2 * MEMORY + 1), Err(StatusCode::SERVICE_UNAVAILABLE));
    }
}
