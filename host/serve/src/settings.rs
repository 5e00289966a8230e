//! How a server is set up, and what is refused to be set up.

use std::{
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use adjudicate_core::{Error, json::MAX_DOCUMENT_BYTES};

use crate::{codes, log::LogTo, tls::TlsFiles};

/// How a server is set up. The default is for the same machine alone: a free port of the loopback address, without TLS.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where to listen; port 0 is any free one.
    pub listen: SocketAddr,
    /// The certificate and key to speak TLS with.
    pub tls: Option<TlsFiles>,
    /// Who may come, beyond the default.
    pub exposure: Exposure,
    /// What requests may cost.
    pub limits: Limits,
    /// How long `/readyz` says no before the server stops listening, so that whoever balances load looks elsewhere.
    pub drain_delay: Duration,
    /// How long requests that are under way may go on then.
    pub drain_deadline: Duration,
    /// Where each request is told of.
    pub log: Option<LogTo>,
    /// `http://host:port` of a collector of traces (OTLP over HTTP).
    pub otlp: Option<String>,
    /// Threads that wait for sockets; as many as there are processors, without.
    pub reactors: Option<usize>,
    /// What time it is, in milliseconds since 1970: tokens expire by it, and are believed only so long after they were read. Default:
    /// the system's.
    pub clock: fn() -> i64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            tls: None,
            exposure: Exposure::default(),
            limits: Limits::default(),
            drain_delay: Duration::ZERO,
            drain_deadline: Duration::from_secs(30),
            log: None,
            otlp: None,
            reactors: None,
            clock: system_clock,
        }
    }
}

fn system_clock() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// What of the caution of the default is given up.
#[derive(Clone, Debug, Default)]
pub struct Exposure {
    /// Another address than loopback without TLS: something in front of the server speaks it.
    pub insecure_plaintext: bool,
    /// On loopback, where there never was a token: administration without one.
    pub allow_local_admin: bool,
    /// Names that the server is called by, besides `localhost` and the loopback addresses.
    pub hosts: Vec<String>,
    /// Origins of pages whose requests are taken, such as `https://console.example`.
    pub origins: Vec<String>,
}

/// What requests may cost.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Connections at once; further ones get `503` and are closed. Default 1024.
    pub connections: u32,
    /// Idle connections of one address at once; of further ones, the one that was idle for the longest time is closed. An IPv6 network
    /// (/64) is one address. Default 256.
    pub idle_by_address: u32,
    /// Calls that are answered at once. Default: one for each processor.
    pub calls: u32,
    /// Bytes of memory that all calls that are answered at once may take together, counted before they begin. Default 1 GiB.
    pub memory: usize,
    /// Calls that wait for that; further ones get `503`. Default 64 for each processor.
    pub queue: u32,
    /// How long a call waits. Default 1 s.
    pub queue_wait: Duration,
    /// Streams of lines at once. Default 64.
    pub streams: u32,
    /// Bytes of one body, or one line of a stream. Default 8 MiB.
    pub body: usize,
    /// Bytes of all bodies that are held at once. Default 256 MiB.
    pub bodies: usize,
    /// Bytes of a request's head. Default 32 KiB.
    pub head_bytes: usize,
    /// Header fields of a request. Default 64.
    pub headers: usize,
    /// How long a connection may take to send the head of a request, and so how long it may lie idle. Default 15 s.
    pub head: Duration,
    /// How long a body may pause, and a reader may not read. Default 10 s.
    pub pause: Duration,
    /// How long a body may take as a whole. Lines of a stream are not counted together. Default 30 s.
    pub request: Duration,
    /// Requests on one connection. Default 100 000.
    pub requests_per_connection: u64,
    /// How long a connection lives at most. Default 1 h.
    pub connection_age: Duration,
    /// Failed attempts with a token, or without one where it is needed, by one address in ten seconds. Default 20.
    pub failures: u16,
}

impl Default for Limits {
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
            requests_per_connection: 100_000,
            connection_age: Duration::from_secs(3600),
            failures: 20,
        }
    }
}

impl Settings {
    /// Whether only this machine can reach the server.
    pub(crate) const fn is_local(&self) -> bool {
        self.listen.ip().is_loopback()
    }

    /// Refuses what would be open to others without anyone having said so.
    pub(crate) fn check(&self, has_tokens: bool) -> Result<(), Error> {
        let refuse = |message: String| Err(Error::new(codes::WRONG_USAGE, message));
        let Limits { connections, idle_by_address, calls, body, bodies, head_bytes, headers, .. } =
            self.limits;
        if [connections, idle_by_address, calls].contains(&0) || [body, bodies, headers].contains(&0) {
            return refuse(
                "a server needs room for one connection, call, body and header or more".to_owned(),
            );
        }
        if body > bodies {
            return refuse(format!("bodies of {body} bytes do not fit where all together may have {bodies}"));
        }
        if head_bytes < 8 << 10 {
            return refuse("the head of a request needs 8192 bytes or more".to_owned());
        }
        // What never matches would keep everybody out, and nobody would know why.
        for host in &self.exposure.hosts {
            if !is_name(host) {
                return refuse(format!(
                    "`{host}` is no name of a host without a port, such as `policy.example`"
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
                return refuse(format!("`{origin}` is no origin, such as `https://console.example`"));
            }
        }
        if self.is_local() {
            return Ok(());
        }
        let place = self.listen;
        if !has_tokens {
            return refuse(format!(
                "`{place}` can be reached by others, so the store needs a token first: `adjudicate token create`"
            ));
        }
        if self.tls.is_none() && !self.exposure.insecure_plaintext {
            return refuse(format!(
                "`{place}` can be reached by others, so it needs `--tls-cert` and `--tls-key`; behind a proxy that \
                 speaks TLS, say `--insecure-plaintext`"
            ));
        }
        if self.exposure.allow_local_admin {
            return refuse(format!("`--allow-local-admin` is for loopback, and `{place}` is not"));
        }
        Ok(())
    }
}

/// Whether this is a name or address as `host` may have it, without a port.
fn is_name(text: &str) -> bool {
    let is_address = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .is_some_and(|address| address.parse::<Ipv6Addr>().is_ok());
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    is_address || (!text.is_empty() && text.bytes().all(is_word))
}

/// The same, perhaps with a port.
fn is_authority(text: &str) -> bool {
    is_name(text)
        || text.rsplit_once(':').is_some_and(|(name, port)| is_name(name) && port.parse::<u16>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_never_match_are_refused() {
        let said = |hosts: &[&str], origins: &[&str]| {
            let all = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
            let exposure = Exposure { hosts: all(hosts), origins: all(origins), ..Exposure::default() };
            Settings { exposure, ..Settings::default() }.check(false).is_ok()
        };
        for host in ["a.example", "A-1", "192.0.2.1", "[2001:db8::1]"] {
            assert!(said(&[host], &[]), "{host}");
        }
        for host in ["", "a.example:8420", "https://a.example", "a/b", "*", "2001:db8::1", "[x]", "a\r\nb"] {
            assert!(!said(&[host], &[]), "{host}");
        }
        for origin in ["https://a.example", "http://localhost:3000", "http://[::1]:1"] {
            assert!(said(&[], &[origin]), "{origin}");
        }
        for origin in [
            "",
            "*",
            "null",
            "a.example",
            "https://a.example/",
            "https://",
            "ftp://a",
            "https://A.example",
            "https://a:b",
        ] {
            assert!(!said(&[], &[origin]), "{origin}");
        }
    }

    #[test]
    fn others_are_let_in_with_tokens_and_tls_alone() {
        let at = |listen: &str| Settings { listen: listen.parse().unwrap(), ..Settings::default() };
        let tls = Some(TlsFiles { certificates: "c".into(), key: "k".into() });
        let plain = Exposure { insecure_plaintext: true, ..Exposure::default() };
        for local in ["127.0.0.1:0", "127.8.0.1:80", "[::1]:0"] {
            assert_eq!(at(local).check(false), Ok(()), "{local}");
        }
        for outside in ["0.0.0.0:0", "[::]:0", "192.0.2.1:80", "[::ffff:127.0.0.1]:0"] {
            let secured = Settings { tls: tls.clone(), ..at(outside) };
            let proxied = Settings { exposure: plain.clone(), ..at(outside) };
            assert!(at(outside).check(false).is_err() && at(outside).check(true).is_err(), "{outside}");
            assert!(secured.check(false).is_err() && proxied.check(false).is_err(), "{outside}");
            assert_eq!((secured.check(true), proxied.check(true)), (Ok(()), Ok(())), "{outside}");
            let open = Exposure { allow_local_admin: true, ..plain.clone() };
            assert!(Settings { exposure: open, ..at(outside) }.check(true).is_err());
        }
    }
}
