//! Which cluster, and how it is reached.

use adjudicate_host::codes;
use std::{fmt, path::PathBuf, time::Duration};

use adjudicate_core::Error;

use crate::address::Addresses;

/// How long a cluster's name may be, in bytes: the names of buckets and streams are made of it.
const MAX_NAME: usize = 64;
/// How many servers NATS lets keep one stream.
const MAX_REPLICAS: usize = 5;

/// Which cluster, and how it is reached.
///
/// ```
/// use adjudicate_cluster::Settings;
/// let settings = Settings::at("tls://nats-1.example:4222,tls://nats-2.example:4222");
/// assert_eq!(settings.check(), Ok(()));
/// assert_eq!(settings.name, "adjudicate");
/// assert!(Settings { name: "a.b".to_owned(), ..settings }.check().is_err());
/// ```
#[derive(Clone)]
pub struct Settings {
    /// The servers: `nats://host:4222` or `tls://host:4222`, several with commas between them. With `user:password@` or `token@`
    /// before the host, that is how the host says who it is.
    pub url: String,
    /// A file of credentials, as `nsc` writes them.
    pub credentials: Option<PathBuf>,
    /// Certificates of the authorities that the servers' are signed by (PEM), in the place of those of the system.
    pub authorities: Option<PathBuf>,
    /// What the cluster is called: subjects, buckets and streams begin with it.
    pub name: String,
    /// How many servers keep what is kept, where this host is the first and makes the buckets and streams.
    pub replicas: usize,
    /// How long the servers may take to answer.
    pub patience: Duration,
    /// The id of the cluster that is meant. Where these servers have none, or another one, it is an error, and none is made.
    /// Without it, it is whichever they have, and a new one where they have none.
    pub id: Option<String>,
}

impl Settings {
    /// The cluster `adjudicate` at these servers.
    ///
    /// ```
    /// use adjudicate_cluster::Settings;
    /// let settings = Settings::at("nats://127.0.0.1:4222");
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

    /// Refuses settings that cannot work. Nothing is connected to, and no file is read.
    ///
    /// # Errors
    ///
    /// [`wrong_usage`](adjudicate_host::codes::WRONG_USAGE). What is wrong with the URL is said without repeating it: it may hold a password.
    ///
    /// ```
    /// use adjudicate_host::codes;
    /// use adjudicate_cluster::Settings;
    /// let settings = Settings { replicas: 9, ..Settings::at("nats://127.0.0.1:4222") };
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
            let message = format!("{} servers cannot keep what is kept: 1 to {MAX_REPLICAS}", self.replicas);
            return Err(wrong_usage(message));
        }
        if self.patience.is_zero() || self.patience > Duration::from_secs(600) {
            return Err(wrong_usage("servers are waited for up to 600 seconds, and not for none".to_owned()));
        }
        let addresses = Addresses::read(&self.url)?;
        if addresses.is_anybody() || self.credentials.is_none() {
            return Ok(());
        }
        Err(wrong_usage("the URL says who this is, and there is a file of credentials, too".to_owned()))
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { url: _, credentials, authorities, name, replicas, patience, id } = self;
        f.debug_struct("Settings")
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
        let good = || Settings::at("nats://127.0.0.1");
        let check = |settings: Settings| settings.check().map_err(|error| error.code());
        for name in ["a", "A_b-9", &"x".repeat(64)] {
            assert_eq!(check(Settings { name: name.to_owned(), ..good() }), Ok(()), "{name}");
        }
        for name in ["", "a.b", "a b", "*", ">", "a/b", "é", "a\n", &"x".repeat(65)] {
            let settings = Settings { name: name.to_owned(), ..good() };
            assert_eq!(check(settings), Err(codes::WRONG_USAGE), "{name}");
        }
        for replicas in [0, 6, usize::MAX] {
            assert_eq!(check(Settings { replicas, ..good() }), Err(codes::WRONG_USAGE));
        }
        for patience in [Duration::ZERO, Duration::from_secs(601), Duration::MAX] {
            assert_eq!(check(Settings { patience, ..good() }), Err(codes::WRONG_USAGE));
        }
        let credentials = Some(PathBuf::from("host.creds"));
        assert_eq!(check(Settings { credentials: credentials.clone(), ..good() }), Ok(()));
        let twice = Settings { credentials, ..Settings::at("nats://me:secret@127.0.0.1") };
        assert_eq!(check(twice), Err(codes::WRONG_USAGE));
    }

    #[test]
    fn what_is_printed_of_settings_holds_no_password() {
        let settings = Settings::at("nats://me:s3cret@127.0.0.1");
        assert!(!format!("{settings:?}").contains("s3cret"));
    }
}
