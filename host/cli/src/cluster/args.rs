//! The arguments that name a cluster.

use std::{convert::Infallible, fmt, path::PathBuf, str::FromStr};

pub(crate) use adjudicate_cluster::ClusterSettings;
use adjudicate_core::Error;
use clap::Args;

use crate::{codes, environment::Environment};

/// The environment variable with the servers of the cluster.
const VARIABLE: &str = "ADJUDICATE_NATS";

/// The address of a cluster of hosts that share their slots.
#[derive(Clone, Debug, Args)]
pub(crate) struct ClusterAddress {
    /// The NATS servers of the cluster, separated by commas [env: ADJUDICATE_NATS]
    ///
    /// For example nats://nats.example:4222. Hosts of a cluster share their slots. Keep a password in the environment variable
    /// ADJUDICATE_NATS, or in a file of credentials.
    #[arg(long, value_name = "URL")]
    pub(crate) nats: Option<ServerUrls>,
    /// The file of credentials for the NATS servers, as `nsc` writes it
    #[arg(long, value_name = "FILE")]
    pub(crate) nats_credentials: Option<PathBuf>,
    /// The certificate authorities of the NATS servers, instead of the system's (PEM)
    #[arg(long, value_name = "FILE")]
    pub(crate) nats_ca: Option<PathBuf>,
    /// The name of the cluster [default: adjudicate]
    ///
    /// The names of subjects, buckets and streams begin with it.
    #[arg(long, value_name = "NAME")]
    pub(crate) nats_name: Option<String>,
}

/// The cluster that a store belongs to.
#[derive(Clone, Debug, Args)]
pub(crate) struct Membership {
    #[command(flatten)]
    pub(crate) cluster: ClusterAddress,
    /// The number of NATS servers that store each bucket and stream
    ///
    /// The option counts for the first host, which creates them.
    #[arg(long, value_name = "N")]
    pub(crate) nats_replicas: Option<usize>,
    /// Accept modules without a signature from the cluster: for local development
    ///
    /// The slots of the cluster decide which modules need no signature.
    #[arg(long)]
    pub(crate) nats_allow_unsigned: bool,
}

/// Addresses of servers. They may contain a password, so they are never printed.
#[derive(Clone)]
pub(crate) struct ServerUrls(String);

impl FromStr for ServerUrls {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for ServerUrls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Address(..)")
    }
}

impl ClusterAddress {
    /// Returns the settings of the cluster, if an option or the environment names one.
    pub(crate) fn settings(&self, env: &Environment) -> Result<Option<ClusterSettings>, Error> {
        let url = match (&self.nats, env.variable(VARIABLE)) {
            (Some(ServerUrls(url)), _) => url.clone(),
            (None, Some(url)) => url.into_string().map_err(|_| wrong("is not UTF-8"))?,
            (None, None) => return self.check_unused().map(|()| None),
        };
        let defaults = ClusterSettings::at(url);
        let settings = ClusterSettings {
            credentials: self.nats_credentials.as_deref().map(|path| env.path(path)),
            authorities: self.nats_ca.as_deref().map(|path| env.path(path)),
            name: self.nats_name.clone().unwrap_or(defaults.name),
            ..defaults
        };
        settings.check()?;
        Ok(Some(settings))
    }

    /// Returns true if an option is about a cluster. The environment does not count.
    pub(crate) const fn is_given(&self) -> bool {
        self.nats.is_some() || self.is_described()
    }

    const fn is_described(&self) -> bool {
        let Self { nats: _, nats_credentials, nats_ca, nats_name } = self;
        nats_credentials.is_some() || nats_ca.is_some() || nats_name.is_some()
    }

    /// Rejects options about a cluster if no cluster is named.
    fn check_unused(&self) -> Result<(), Error> {
        if self.is_described() { Err(missing_address()) } else { Ok(()) }
    }
}

impl Membership {
    /// Returns true if an option is about a cluster. The environment does not count.
    pub(crate) const fn is_given(&self) -> bool {
        self.cluster.is_given() || self.is_described()
    }

    const fn is_described(&self) -> bool {
        self.nats_replicas.is_some() || self.nats_allow_unsigned
    }

    /// Returns the settings of the cluster, if an option or the environment names one.
    pub(crate) fn settings(&self, env: &Environment) -> Result<Option<ClusterSettings>, Error> {
        let Some(settings) = self.cluster.settings(env)? else {
            return if self.is_described() { Err(missing_address()) } else { Ok(None) };
        };
        let settings =
            ClusterSettings { replicas: self.nats_replicas.unwrap_or(settings.replicas), ..settings };
        settings.check()?;
        Ok(Some(settings))
    }
}

fn missing_address() -> Error {
    let message = format!("the options of a cluster need its address: pass `--nats`, or set {VARIABLE}");
    Error::new(codes::WRONG_USAGE, message)
}

fn wrong(why: &str) -> Error {
    Error::new(codes::WRONG_USAGE, format!("{VARIABLE} {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_printed() {
        let nats = Some(ServerUrls("nats://me:s3cret@a b".to_owned()));
        let location = ClusterAddress { nats, nats_credentials: None, nats_ca: None, nats_name: None };
        assert!(!format!("{location:?}").contains("s3cret"));
        assert!(!location.settings(&Environment::of_process()).unwrap_err().to_string().contains("s3cret"));
    }
}
