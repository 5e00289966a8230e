//! The settings of a connection to a cluster, and the addresses in them, separated from their secrets.

use std::{fmt, path::PathBuf, time::Duration};

use adjudicate_core::Error;
use async_nats::ServerAddr;
use percent_encoding::percent_decode_str;

use crate::fault::wrong_usage;

/// The longest name of a cluster in bytes. Buckets and streams have it as a prefix.
const MAX_NAME: usize = 64;
/// The largest number of replicas that NATS supports.
const MAX_REPLICAS: usize = 5;

/// The settings of a connection to a cluster.
///
/// ```
/// use adjudicate_cluster::ClusterSettings;
/// let settings = ClusterSettings::at("tls://nats-1.example:4222,tls://nats-2.example:4222");
/// assert_eq!(settings.check(), Ok(()));
/// assert_eq!(settings.name, "adjudicate");
/// assert!(ClusterSettings { name: "a.b".to_owned(), ..settings }.check().is_err());
/// ```
#[derive(Clone)]
pub struct ClusterSettings {
    /// The servers: `nats://host:4222` or `tls://host:4222`, separated by commas. To authenticate, put `user:password@` or `token@`
    /// before the host.
    pub url: String,
    /// A file of credentials, as `nsc` writes it.
    pub credentials: Option<PathBuf>,
    /// Certificates (PEM) of the authorities that sign the servers' certificates, instead of those of the system.
    pub authorities: Option<PathBuf>,
    /// The name of the cluster, which is the prefix of its subjects, buckets and streams.
    pub name: String,
    /// The number of replicas, used if this host is the first and creates the buckets and streams.
    pub replicas: usize,
    /// The longest time to wait for an answer of the servers.
    pub patience: Duration,
    /// The expected id of the cluster. If the servers have no cluster or another one, connecting fails. Without an id, the cluster
    /// of the servers is used, or created.
    pub id: Option<String>,
}

impl ClusterSettings {
    /// Creates settings for the cluster `adjudicate` at these servers.
    ///
    /// ```
    /// use adjudicate_cluster::ClusterSettings;
    /// let settings = ClusterSettings::at("nats://127.0.0.1:4222");
    /// assert_eq!((settings.name.as_str(), settings.replicas), ("adjudicate", 1));
    /// ```
    #[must_use]
    pub fn at(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            credentials: None,
            authorities: None,
            name: "adjudicate".to_owned(),
            replicas: 1,
            patience: Duration::from_secs(10),
            id: None,
        }
    }

    /// Rejects settings that cannot work. Does not connect and reads no file.
    ///
    /// # Errors
    ///
    /// [`wrong_usage`](adjudicate_host::codes::WRONG_USAGE). The message does not repeat the URL, which may contain a
    /// password.
    ///
    /// ```
    /// use adjudicate_host::codes;
    /// use adjudicate_cluster::ClusterSettings;
    ///
    /// let settings = ClusterSettings { replicas: 9, ..ClusterSettings::at("nats://127.0.0.1:4222") };
    /// assert_eq!(settings.check().map_err(|error| error.code()), Err(codes::WRONG_USAGE));
    /// ```
    pub fn check(&self) -> Result<(), Error> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if self.name.is_empty() || self.name.len() > MAX_NAME || !self.name.bytes().all(is_plain) {
            let shown: String = self.name.chars().take(MAX_NAME).collect();
            return Err(wrong_usage(format!(
                "`{shown}` cannot be a cluster's name: 1 to {MAX_NAME} letters, digits, `-` and `_`"
            )));
        }
        if !(1..=MAX_REPLICAS).contains(&self.replicas) {
            let message = format!("expected 1 to {MAX_REPLICAS} replicas, found {}", self.replicas);
            return Err(wrong_usage(message));
        }
        if self.patience.is_zero() || self.patience > Duration::from_secs(600) {
            return Err(wrong_usage("expected a time to wait for servers of up to 600 seconds, more than 0"));
        }
        let addresses = Addresses::read(&self.url)?;
        if addresses.bearer == Bearer::Anonymous || self.credentials.is_none() {
            return Ok(());
        }
        Err(wrong_usage("both the URL and a file of credentials identify this host; use one of them"))
    }
}

impl fmt::Debug for ClusterSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { url: _, credentials, authorities, name, replicas, patience, id } = self;
        f.debug_struct("ClusterSettings")
            .field("credentials", credentials)
            .field("authorities", authorities)
            .field("name", name)
            .field("replicas", replicas)
            .field("patience", patience)
            .field("id", id)
            .finish_non_exhaustive()
    }
}

/// The addresses of the servers, without secrets.
#[derive(Debug)]
pub(crate) struct Addresses {
    pub(crate) servers: Vec<ServerAddr>,
    pub(crate) bearer: Bearer,
    /// True if connections must use TLS.
    pub(crate) only_tls: bool,
}

/// The identity of this client, as far as the addresses contain it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Bearer {
    Anonymous,
    Token(String),
    User { name: String, password: String },
}

impl fmt::Debug for Bearer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Anonymous => "Anonymous",
            Self::Token(_) => "Token(..)",
            Self::User { .. } => "User(..)",
        })
    }
}

impl Addresses {
    /// Parses a comma-separated list of addresses. Errors do not repeat the addresses.
    pub(crate) fn read(url: &str) -> Result<Self, Error> {
        let read: Vec<_> = url
            .split(',')
            .enumerate()
            .map(|(index, text)| one(text.trim()).map_err(|why| refused(index, why)))
            .collect::<Result<_, _>>()?;
        let bearers = || read.iter().map(|(_, bearer)| bearer);
        let bearer = bearers().find(|bearer| **bearer != Bearer::Anonymous).unwrap_or(&Bearer::Anonymous);
        if bearers().any(|other| other != bearer && *other != Bearer::Anonymous) {
            return Err(wrong_usage("the servers' URLs contain different users, passwords or tokens"));
        }
        let bearer = bearer.clone();
        let with_tls = read.iter().filter(|(server, _)| server.tls_required()).count();
        if with_tls != 0 && with_tls != read.len() {
            let message = "some servers have `tls://` and some `nats://`; use one of them for all";
            return Err(wrong_usage(message));
        }
        let servers = read.into_iter().map(|(server, _)| server).collect();
        Ok(Self { servers, bearer, only_tls: with_tls != 0 })
    }
}

fn one(text: &str) -> Result<(ServerAddr, Bearer), &'static str> {
    let server: ServerAddr = text.parse().map_err(|_| "is not a URL of a NATS server")?;
    let mut url = server.into_inner();
    if !matches!(url.scheme(), "nats" | "tls") {
        return Err("begins neither with `nats://` nor with `tls://`");
    }
    if url.host_str().is_none_or(str::is_empty) {
        return Err("names no host");
    }
    if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
        return Err("has text after the port");
    }
    let decoded = |text: &str| {
        percent_decode_str(text).decode_utf8().map(|text| text.into_owned()).map_err(|_| "is not UTF-8")
    };
    let name = decoded(url.username())?;
    let bearer = match url.password() {
        Some(_) if name.is_empty() => return Err("has a password without a user name"),
        Some(password) => Bearer::User { name, password: decoded(password)? },
        None if name.is_empty() => Bearer::Anonymous,
        None => Bearer::Token(name),
    };
    // The rest of the address appears in messages.
    if url.set_username("").is_err() || url.set_password(None).is_err() {
        return Err("is not a URL of a NATS server");
    }
    Ok((ServerAddr::from_url(url).map_err(|_| "is not a URL of a NATS server")?, bearer))
}

fn refused(index: usize, why: &str) -> Error {
    wrong_usage(format!("the NATS server's URL number {} {why}: expected `nats://HOST:4222`", index + 1))
}

#[cfg(test)]
mod tests {
    use adjudicate_host::codes;

    use super::*;

    #[test]
    fn settings_that_cannot_work_are_refused() {
        let good = || ClusterSettings::at("nats://127.0.0.1");
        let check = |settings: ClusterSettings| settings.check().map_err(|error| error.code());
        for name in ["a", "A_b-9", &"x".repeat(64)] {
            assert_eq!(check(ClusterSettings { name: name.to_owned(), ..good() }), Ok(()), "{name}");
        }
        for name in ["", "a.b", "a b", "*", ">", "a/b", "é", "a\n", &"x".repeat(65)] {
            let settings = ClusterSettings { name: name.to_owned(), ..good() };
            assert_eq!(check(settings), Err(codes::WRONG_USAGE), "{name}");
        }
        for replicas in [0, 6, usize::MAX] {
            assert_eq!(check(ClusterSettings { replicas, ..good() }), Err(codes::WRONG_USAGE));
        }
        for patience in [Duration::ZERO, Duration::from_secs(601), Duration::MAX] {
            assert_eq!(check(ClusterSettings { patience, ..good() }), Err(codes::WRONG_USAGE));
        }
        let credentials = Some(PathBuf::from("host.creds"));
        assert_eq!(check(ClusterSettings { credentials: credentials.clone(), ..good() }), Ok(()));
        let twice = ClusterSettings { credentials, ..ClusterSettings::at("nats://me:secret@127.0.0.1") };
        assert_eq!(check(twice), Err(codes::WRONG_USAGE));
    }

    #[test]
    fn printed_settings_contain_no_password() {
        let settings = ClusterSettings::at("nats://me:s3cret@127.0.0.1");
        assert!(!format!("{settings:?}").contains("s3cret"));
    }

    #[test]
    fn secrets_are_separated_from_addresses() {
        let user = |name: &str, password: &str| Bearer::User { name: name.into(), password: password.into() };
        for (text, servers, bearer, only_tls) in [
            ("nats://127.0.0.1:4222", 1, Bearer::Anonymous, false),
            ("localhost", 1, Bearer::Anonymous, false),
            ("tls://a.example, tls://b.example:5000", 2, Bearer::Anonymous, true),
            ("nats://[::1]:4222/", 1, Bearer::Anonymous, false),
            ("nats://me:s3cret@a", 1, user("me", "s3cret"), false),
            ("nats://me:s3cret@a,nats://b", 2, user("me", "s3cret"), false),
            ("nats://me%40home:p%3A%2Fss%25@a", 1, user("me@home", "p:/ss%"), false),
            ("nats://t0ken@a", 1, Bearer::Token("t0ken".into()), false),
        ] {
            let read = Addresses::read(text).unwrap();
            assert_eq!(
                (read.servers.len(), &read.bearer, read.only_tls),
                (servers, &bearer, only_tls),
                "{text}"
            );
            for secret in ["s3cret", "t0ken", "home"] {
                assert!(!format!("{read:?}").contains(secret), "{text}");
            }
        }
    }

    #[test]
    fn errors_do_not_repeat_invalid_addresses() {
        for text in [
            "",
            " ",
            "nats://",
            "nats://s3cret:s3cret@",
            "http://s3cret@a",
            "ws://s3cret@a",
            "wss://a",
            "nats://s3cret:x@a:99999",
            "nats://s3cret@a b",
            "nats://a/s3cret",
            "nats://a?s3cret",
            "nats://a#s3cret",
            "nats://a,",
            "nats://:s3cret@a",
            "nats://%ff:s3cret@a",
            "nats://me:s3cret@a,nats://me:other@b",
            "nats://a,tls://s3cret@b",
            "://s3cret",
        ] {
            let error = Addresses::read(text).unwrap_err();
            assert_eq!(error.code(), codes::WRONG_USAGE, "{text}");
            assert!(!error.message().contains("s3cret"), "{text}: {error}");
        }
    }
}
