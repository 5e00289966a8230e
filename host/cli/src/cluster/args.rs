//! The arguments that name a cluster.

use std::{convert::Infallible, env, fmt, path::PathBuf, str::FromStr};

pub(crate) use adjudicate_cluster::Settings;
use adjudicate_core::Error;
use clap::Args;

use crate::codes;

/// The environment variable with the servers of the cluster.
const PLACE: &str = "ADJUDICATE_NATS";

/// The address of a cluster of hosts that share their slots.
#[derive(Clone, Debug, Args)]
pub(crate) struct ClusterPlace {
    /// The NATS servers through which several hosts share their slots, such as nats://nats.example:4222, separated by commas; by
    /// default $ADJUDICATE_NATS. Keep a password in the variable, or in a file of credentials
    #[arg(long, value_name = "URL")]
    pub(crate) nats: Option<Address>,
    /// The file of credentials for the NATS servers, as `nsc` writes it
    #[arg(long, value_name = "FILE")]
    pub(crate) nats_credentials: Option<PathBuf>,
    /// The certificate authorities of the NATS servers, instead of the system's (PEM)
    #[arg(long, value_name = "FILE")]
    pub(crate) nats_ca: Option<PathBuf>,
    /// The name of the cluster; by default `adjudicate`. Subjects, buckets and streams begin with it
    #[arg(long, value_name = "NAME")]
    pub(crate) nats_name: Option<String>,
}

/// The cluster that a store belongs to.
#[derive(Clone, Debug, Args)]
pub(crate) struct Membership {
    #[command(flatten)]
    pub(crate) cluster: ClusterPlace,
    /// The number of NATS servers that keep each bucket and stream, if this host is the first and creates them
    #[arg(long, value_name = "N")]
    pub(crate) nats_replicas: Option<usize>,
    /// Accept modules without a signature if the cluster's slots say that they need none: for local development
    #[arg(long)]
    pub(crate) nats_allow_unsigned: bool,
}

/// Addresses of servers. They may contain a password, so they are never printed.
#[derive(Clone)]
pub(crate) struct Address(String);

impl FromStr for Address {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Address(..)")
    }
}

impl ClusterPlace {
    /// The cluster that is meant, if any is.
    pub(crate) fn settings(&self) -> Result<Option<Settings>, Error> {
        let url = match (&self.nats, env::var_os(PLACE)) {
            (Some(Address(url)), _) => url.clone(),
            (None, Some(url)) if !url.is_empty() => url.into_string().map_err(|_| wrong("is not UTF-8"))?,
            (None, _) => return self.nothing_said().map(|()| None),
        };
        let defaults = Settings::at(url);
        let settings = Settings {
            credentials: self.nats_credentials.clone(),
            authorities: self.nats_ca.clone(),
            name: self.nats_name.clone().unwrap_or(defaults.name),
            ..defaults
        };
        settings.check()?;
        Ok(Some(settings))
    }

    /// Whether an option names a cluster, or says something of one. An address in the environment is none.
    pub(crate) const fn is_said(&self) -> bool {
        self.nats.is_some() || self.is_described()
    }

    const fn is_described(&self) -> bool {
        let Self { nats: _, nats_credentials, nats_ca, nats_name } = self;
        nats_credentials.is_some() || nats_ca.is_some() || nats_name.is_some()
    }

    /// Refuses options about a cluster where there is none.
    fn nothing_said(&self) -> Result<(), Error> {
        if self.is_described() { Err(nowhere()) } else { Ok(()) }
    }
}

impl Membership {
    /// Whether an option names a cluster, or says something of one. An address in the environment is none.
    pub(crate) const fn is_said(&self) -> bool {
        self.cluster.is_said() || self.is_described()
    }

    const fn is_described(&self) -> bool {
        self.nats_replicas.is_some() || self.nats_allow_unsigned
    }

    /// The cluster that is meant, if any is.
    pub(crate) fn settings(&self) -> Result<Option<Settings>, Error> {
        let Some(settings) = self.cluster.settings()? else {
            return if self.is_described() { Err(nowhere()) } else { Ok(None) };
        };
        let settings = Settings { replicas: self.nats_replicas.unwrap_or(settings.replicas), ..settings };
        settings.check()?;
        Ok(Some(settings))
    }
}

fn nowhere() -> Error {
    let message = format!("the options of a cluster need to know where it is: say `--nats`, or set {PLACE}");
    Error::new(codes::WRONG_USAGE, message)
}

fn wrong(why: &str) -> Error {
    Error::new(codes::WRONG_USAGE, format!("{PLACE} {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cluster() -> ClusterPlace {
        ClusterPlace { nats: None, nats_credentials: None, nats_ca: None, nats_name: None }
    }

    fn membership() -> Membership {
        Membership { cluster: cluster(), nats_replicas: None, nats_allow_unsigned: false }
    }

    #[test]
    fn options_need_a_cluster_and_say_which() {
        assert!(membership().settings().unwrap().is_none());
        let of = |cluster| Membership { cluster, ..membership() };
        for lonely in [
            of(ClusterPlace { nats_ca: Some("ca.pem".into()), ..cluster() }),
            of(ClusterPlace { nats_name: Some("a".to_owned()), ..cluster() }),
            Membership { nats_replicas: Some(3), ..membership() },
            Membership { nats_allow_unsigned: true, ..membership() },
        ] {
            assert_eq!(lonely.settings().unwrap_err().code(), codes::WRONG_USAGE);
            let nats = Some(Address("nats://a.example".to_owned()));
            let at =
                Membership { cluster: ClusterPlace { nats, ..lonely.cluster.clone() }, ..lonely.clone() };
            let settings = at.settings().unwrap().unwrap();
            assert_eq!(settings.name, lonely.cluster.nats_name.unwrap_or("adjudicate".to_owned()));
            assert_eq!(settings.replicas, lonely.nats_replicas.unwrap_or(1));
        }
    }

    #[test]
    fn what_is_secret_is_not_printed() {
        let place = ClusterPlace { nats: Some(Address("nats://me:s3cret@a b".to_owned())), ..cluster() };
        assert!(!format!("{place:?}").contains("s3cret"));
        assert!(!place.settings().unwrap_err().to_string().contains("s3cret"));
    }
}
