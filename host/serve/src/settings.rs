//! The settings of a server, and their check.

use std::{
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use adjudicate_core::{Error, json::MAX_DOCUMENT_BYTES};
use jiff::Timestamp;

use crate::{codes, handler::McpHandler, request_record::LogTo, tls::TlsFiles};

/// The settings of a server. By default only this machine can connect: a free port of the loopback address, without TLS.
#[derive(Clone, Debug)]
pub struct ServerSettings {
    /// The address to listen on; port 0 is any free port.
    pub listen: SocketAddr,
    /// A Unix socket to listen on, too. Only the owner of the file can connect. Not on Windows.
    pub socket: Option<PathBuf>,
    /// The certificate and key for TLS.
    pub tls: Option<TlsFiles>,
    /// The exceptions from the default protection.
    pub exposure: Exposure,
    /// The limits of requests.
    pub limits: RequestLimits,
    /// The time for which `/readyz` returns 503 before the server stops listening, so that load balancers use other servers.
    pub drain_delay: Duration,
    /// The time that running requests may then take.
    pub drain_deadline: Duration,
    /// The log of requests.
    pub log: Option<LogTo>,
    /// The URL of a collector of traces (OTLP over HTTP); without a path, `/v1/traces`. Variables such as `OTEL_EXPORTER_OTLP_HEADERS`
    /// apply.
    pub otlp: Option<String>,
    /// The handler of messages at `/mcp`; without it, the path is unknown.
    pub mcp: Option<Arc<dyn McpHandler>>,
    /// Returns the time in milliseconds since 1970, by which tokens expire. Default: the system's clock.
    pub clock: fn() -> i64,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            socket: None,
            tls: None,
            exposure: Exposure::default(),
            limits: RequestLimits::default(),
            drain_delay: Duration::ZERO,
            drain_deadline: Duration::from_secs(30),
            log: None,
            otlp: None,
            mcp: None,
            clock: || Timestamp::now().as_millisecond(),
        }
    }
}

/// Exceptions from the default protection.
#[derive(Clone, Debug, Default)]
pub struct Exposure {
    /// Allow an address other than loopback without TLS, behind a proxy that does TLS.
    pub insecure_plaintext: bool,
    /// Allow administration without a token on loopback, if the store never had a token.
    pub allow_local_admin: bool,
    /// Names of the server in addition to `localhost` and the loopback addresses.
    pub hosts: Vec<String>,
    /// Origins of web pages whose requests are accepted, such as `https://console.example`.
    pub origins: Vec<String>,
}

/// The limits of requests.
#[derive(Clone, Debug)]
pub struct RequestLimits {
    /// Connections at once. Up to 64 further ones get one answer about health, or `503`. Default 1024.
    pub connections: u32,
    /// Idle connections of one address. Beyond the limit, the one that was idle for the longest time is closed. An IPv6 network (/64)
    /// is one address. Default 256.
    pub idle_by_address: u32,
    /// Calls that run at once. Default: one per processor.
    pub calls: u32,
    /// Bytes of memory of all running calls together, estimated before they begin. Default 1 GiB.
    pub memory: usize,
    /// Calls that wait to run. Further ones get `503`. Default 64 per processor.
    pub queue: u32,
    /// The time that a call may wait. Default 1 s.
    pub queue_wait: Duration,
    /// Streams of lines at once. Default 64.
    pub streams: u32,
    /// Bytes of one body, or of one line of a stream. Default 8 MiB.
    pub body: usize,
    /// Bytes of all bodies in memory. Default 256 MiB.
    pub bodies: usize,
    /// Bytes of the request line and headers. Default 32 KiB.
    pub head_bytes: usize,
    /// Header fields of a request. Default 64.
    pub headers: usize,
    /// The time in which a connection must send the headers of its next request; also the limit for an idle connection. Default 15 s.
    pub head: Duration,
    /// The longest pause of a sender or reader. Default 10 s.
    pub pause: Duration,
    /// The time for a whole body, except the body of a stream. Default 30 s.
    pub request: Duration,
    /// The time for the decision on the event of a hook, with its wait for a thread. Beyond it, a call is denied. `adjudicate hook --via`
    /// waits for 10 s. Default 8 s.
    pub hook: Duration,
    /// Requests on one connection. Default 100,000.
    pub requests_per_connection: u64,
    /// The longest life of a connection. Default 1 h.
    pub connection_age: Duration,
    /// Failed logins of one address in ten seconds, with an invalid token or without one. Default 20.
    pub failures: u16,
}

impl Default for RequestLimits {
    fn default() -> Self {
        let processors = std::thread::available_parallelism()
            .map_or(1, |count| u32::try_from(count.get()).unwrap_or(u32::MAX))
            .clamp(1, 256);
        Self {
            connections: 1024,
            idle_by_address: 256,
            calls: processors.max(2),
            memory: 1 << 30,
            queue: processors * 64,
            queue_wait: Duration::from_secs(1),
            streams: 64,
            body: MAX_DOCUMENT_BYTES,
            bodies: 256 << 20,
            head_bytes: 32 << 10,
            headers: 64,
            head: Duration::from_secs(15),
            pause: Duration::from_secs(10),
            request: Duration::from_secs(30),
            hook: Duration::from_secs(8),
            requests_per_connection: 100_000,
            connection_age: Duration::from_secs(3600),
            failures: 20,
        }
    }
}

impl ServerSettings {
    /// Returns true if only this machine can connect to the server.
    pub(crate) const fn is_local(&self) -> bool {
        self.listen.ip().is_loopback()
    }

    /// Rejects settings that cannot work, or that expose the server without an explicit setting.
    pub(crate) fn check(&self, has_tokens: bool) -> Result<(), Error> {
        let refuse = |message: String| Err(Error::new(codes::WRONG_USAGE, message));
        let RequestLimits { connections, idle_by_address, calls, body, bodies, head_bytes, headers, .. } =
            self.limits;
        if [connections, idle_by_address, calls].contains(&0) || [body, bodies, headers].contains(&0) {
            return refuse("every limit must be at least 1".to_owned());
        }
        if body > bodies {
            return refuse(format!(
                "the limit of one body ({body} bytes) is larger than that of all bodies ({bodies} bytes)"
            ));
        }
        if head_bytes < 8 << 10 {
            return refuse("the limit of request headers must be at least 8192 bytes".to_owned());
        }
        // A name that never matches would silently reject every request.
        for host in &self.exposure.hosts {
            if !is_name(host) {
                return refuse(format!(
                    "expected a host name without a port, such as `policy.example`, found `{host}`"
                ));
            }
        }
        for origin in &self.exposure.origins {
            let is_one = origin.split_once("://").is_some_and(|(scheme, rest)| {
                ["http", "https"].contains(&scheme)
                    && is_authority(rest)
                    && *rest == rest.to_ascii_lowercase()
            });
            if !is_one {
                return refuse(format!(
                    "expected an origin such as `https://console.example`, found `{origin}`"
                ));
            }
        }
        if self.is_local() {
            return Ok(());
        }
        let place = self.listen;
        if !has_tokens {
            return refuse(format!(
                "other machines can connect to `{place}`, so the store needs a token: `adjudicate token create`"
            ));
        }
        if self.tls.is_none() && !self.exposure.insecure_plaintext {
            return refuse(format!(
                "other machines can connect to `{place}`, so pass `--tls-cert` and `--tls-key`, or behind a proxy that does TLS \
                 `--insecure-plaintext`"
            ));
        }
        if self.exposure.allow_local_admin {
            return refuse(format!("`--allow-local-admin` needs a loopback address, found `{place}`"));
        }
        Ok(())
    }
}

/// Returns true for a name or address without a port, as in the header `host`.
fn is_name(text: &str) -> bool {
    let is_address = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .is_some_and(|address| address.parse::<Ipv6Addr>().is_ok());
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    is_address || (!text.is_empty() && text.bytes().all(is_word))
}

/// Returns true for a name or address, with or without a port.
fn is_authority(text: &str) -> bool {
    is_name(text)
        || text.rsplit_once(':').is_some_and(|(name, port)| is_name(name) && port.parse::<u16>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_never_match_are_rejected() {
        let is_valid = |hosts: &[&str], origins: &[&str]| {
            let all = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
            let exposure = Exposure { hosts: all(hosts), origins: all(origins), ..Exposure::default() };
            ServerSettings { exposure, ..ServerSettings::default() }.check(false).is_ok()
        };
        for host in ["a.example", "A-1", "192.0.2.1", "[2001:db8::1]"] {
            assert!(is_valid(&[host], &[]), "{host}");
        }
        for host in ["", "a.example:8420", "https://a.example", "a/b", "*", "2001:db8::1", "[x]", "a\r\nb"] {
            assert!(!is_valid(&[host], &[]), "{host}");
        }
        for origin in ["https://a.example", "http://localhost:3000", "http://[::1]:1"] {
            assert!(is_valid(&[], &[origin]), "{origin}");
        }
        for origin in ["", "*", "a.example", "https://a.example/", "https://", "ftp://a", "https://A.example"]
        {
            assert!(!is_valid(&[], &[origin]), "{origin}");
        }
    }

    #[test]
    fn public_addresses_need_a_token_and_tls() {
        let at =
            |listen: &str| ServerSettings { listen: listen.parse().unwrap(), ..ServerSettings::default() };
        let tls = Some(TlsFiles { certificates: "c".into(), key: "k".into() });
        let plain = Exposure { insecure_plaintext: true, ..Exposure::default() };
        for local in ["127.0.0.1:0", "127.8.0.1:80", "[::1]:0"] {
            assert_eq!(at(local).check(false), Ok(()), "{local}");
        }
        for outside in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80", "[::ffff:127.0.0.1]:0"] {
            let secured = ServerSettings { tls: tls.clone(), ..at(outside) };
            let proxied = ServerSettings { exposure: plain.clone(), ..at(outside) };
            assert!(at(outside).check(false).is_err() && at(outside).check(true).is_err(), "{outside}");
            assert!(secured.check(false).is_err() && proxied.check(false).is_err(), "{outside}");
            assert_eq!((secured.check(true), proxied.check(true)), (Ok(()), Ok(())), "{outside}");
            let open = Exposure { allow_local_admin: true, ..plain.clone() };
            assert!(ServerSettings { exposure: open, ..at(outside) }.check(true).is_err());
        }
    }
}
