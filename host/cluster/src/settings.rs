//! The settings of a connection to a cluster.

use adjudicate_host::codes;
use std::{fmt, path::PathBuf, time::Duration};

use adjudicate_core::Error;

use crate::address::Addresses;

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
            return Err(wrong_usage(
                "expected a time to wait for servers of up to 600 seconds, more than 0".to_owned(),
            ));
        }
        let addresses = Addresses::read(&self.url)?;
        if addresses.is_anonymous() || self.credentials.is_none() {
            return Ok(());
        }
        Err(wrong_usage(
            "both the URL and a file of credentials identify this host; use one of them".to_owned(),
        ))
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

fn wrong_usage(message: String) -> Error {
    Error::new(codes::WRONG_USAGE, message)
}

#[cfg(test)]
mod tests {
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
}
